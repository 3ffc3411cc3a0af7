/** The sample of the last third of the proof. */
import {sampleThird} from './sample.js'

sampleThird(2)
