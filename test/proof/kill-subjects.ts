/** Everything that is killed. */
import {reserve} from './kill-reserve.js'
import type {Subject} from './kill-scene.js'

export const SUBJECTS: readonly Subject[] = [
  reserve, //
]
