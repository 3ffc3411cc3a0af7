/** The sample of the other half of the proof, so that two workers share it. */
import {sampleHalf} from './sample.js'

sampleHalf(1)
