/**
 * Hostile input: saved inputs and new ones for the built command, and properties of what reads and writes them. No crash,
 * no end without a limit, nothing that a terminal obeys, and no signature called valid that is not. commands.ts has the
 * built command; texts.ts, redaction.ts and outside.ts the properties; inputs.ts what makes hostile values.
 */
import {type Cell, part} from '../shared/part.js'
import {KINDS, type KindName, tryNew, trySaved} from './commands.js'
import type {Checked} from './inputs.js'
import {outside} from './outside.js'
import {redaction} from './redaction.js'
import {texts} from './texts.js'

/** New inputs of a kind, and values of a property of the usual weight; in a sample. */
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
  // Properties are limited by this process's own time.
  atOnce: 1,
})
