/**
 * Hostile input: saved and new inputs for the built command, and properties of the code that reads and prints them. Nothing
 * crashes or runs without limit, no control character reaches a terminal, and no invalid signature counts as valid. commands.ts
 * runs the command; texts.ts, redaction.ts and outside.ts have the properties; inputs.ts generates hostile values.
 */
import {type Cell, part} from '../shared/part.js'
import {KINDS, type KindName, tryNew, trySaved} from './commands.js'
import type {Checked} from './inputs.js'
import {outside} from './outside.js'
import {redaction} from './redaction.js'
import {texts} from './texts.js'

/**
 * The number of new inputs of each kind, and of values of a property with the usual weight. The second number is for a sample.
 */
const [INPUTS, SAMPLE_INPUTS] = [1500, 1]
const [VALUES, SAMPLE_VALUES] = [20_000, 200]

const cell = (name: string, run: (seed: number) => Promise<Checked>, isSample = false): Cell<object> => ({
  name: isSample ? `${name}, a sample` : name,
  group: name.split(':')[0] ?? '',
  isSample,
  async run(_, seed) {
    const {tried, failure} = await run(seed)
    return {count: tried, wrong: failure === undefined ? [] : [failure]}
  },
})

export const fuzzing = part<object>({
  title: 'Hostile input',
  unit: 'inputs',
  cells: [
    ...[...texts, ...redaction, ...outside].flatMap(({name, check}) => [
      cell(name, seed => check(seed, SAMPLE_VALUES), true),
      cell(name, seed => check(seed, VALUES)),
    ]),
    ...(Object.keys(KINDS) as KindName[]).flatMap(kind => [
      cell(`fuzz ${kind}: saved`, seed => trySaved(kind, seed)),
      cell(`fuzz ${kind}: new`, seed => tryNew(kind, seed, SAMPLE_INPUTS), true),
      cell(`fuzz ${kind}: new`, seed => tryNew(kind, seed, INPUTS)),
    ]),
  ],
  // Properties run one at a time, because they have limits on this process's processor time.
  atOnce: 1,
})
