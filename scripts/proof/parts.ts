/** The parts of the proof, in the order in which they are run. */
import type {Part} from './part.js'
import {everywhere} from './parts/everywhere.js'
import {faults} from './parts/faults.js'
import {files} from './parts/files.js'
import {fuzzing} from './parts/fuzz.js'
import {kills} from './parts/kills.js'
import {leaks} from './parts/leaks.js'
import {model} from './parts/model.js'
import {mutants} from './parts/mutants.js'
import {races} from './parts/races.js'
import {suites} from './parts/suites.js'

export const PARTS: readonly Part[] = [
  faults, //
  leaks,
  files,
  kills,
  fuzzing,
  races,
  model,
  mutants,
  everywhere,
  suites,
]
