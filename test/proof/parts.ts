/** The parts of the proof, in the order in which they run. */
import {everywhere} from '../../scripts/proof/parts/everywhere.js'
import {faults} from '../../scripts/proof/parts/faults.js'
import {files} from '../../scripts/proof/parts/files.js'
import {fuzzing} from '../../scripts/proof/parts/fuzz.js'
import {leaks} from '../../scripts/proof/parts/leaks.js'
import {kills} from './kills/kills.js'
import {models} from './model/model.js'
import type {Part} from './part.js'
import {races} from './races/races.js'

// biome-ignore lint/suspicious/noExplicitAny: until rewritten
const old = (part: any): Part => ({
  ...part,
  names: part.names(),
  sample: [],
  leftOut: part.leftOut?.() ?? [],
  run: (names, tell, seed) => part.run(names, tell, {seed}),
})
export const PARTS: readonly Part[] = [
  ...[faults, leaks, files, fuzzing, everywhere].map(old),
  kills,
  races,
  models,
]
