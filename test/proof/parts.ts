/** The parts of the proof, in the order in which they run. */
import {agents} from './agents/agents.js'
import {batches} from './batch/batch.js'
import {credentials} from './credentials.js'
import {damages} from './damage.js'
import {explanations} from './explain/explain.js'
import {faults} from './faults/faults.js'
import {files} from './files/files.js'
import {fuzzing} from './fuzz/fuzz.js'
import {kills} from './kills/kills.js'
import {leaks} from './leaks/leaks.js'
import {machines} from './machines/machines.js'
import {models} from './model/model.js'
import {prices} from './prices.js'
import {races} from './races/races.js'
import type {Part} from './shared/part.js'
import {signals} from './signals.js'
import {sizes} from './sizes.js'
import {surroundings} from './surroundings.js'

export const PARTS: readonly Part[] = [
  faults,
  leaks,
  files,
  kills,
  fuzzing,
  races,
  machines,
  damages,
  credentials,
  prices,
  signals,
  sizes,
  surroundings,
  models,
  batches,
  explanations,
  agents,
]
