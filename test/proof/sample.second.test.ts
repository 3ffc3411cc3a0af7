/** The sample of the second third of the proof. */
import {sampleThird} from './sample.js'

sampleThird(1)
