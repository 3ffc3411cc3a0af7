/**
 * Hostile input: saved inputs and new ones for the built command, and properties of what reads and writes them. No crash,
 * no end without a limit, nothing that a terminal obeys, and no signature called valid that is not.
 */
import {type Cell, part} from '../part.js'
import {answers, receiving} from './answers.js'
import {input} from './input.js'
import {corpusOf, fuzz, KINDS, trySaved} from './kinds.js'
import {dates, money} from './money-dates.js'
import {output} from './output.js'
import type {Checked, Property} from './property.js'
import {redaction} from './redaction.js'
import {sanitiser} from './sanitiser.js'
import {webhooks} from './webhooks.js'

/** New inputs of a kind, and values of a property of the usual weight; in a sample. */
const [INPUTS, SAMPLE_INPUTS] = [1500, 2]
const [VALUES, SAMPLE_VALUES] = [20_000, 40]

const PROPERTIES: readonly Property[] = [
  ...[...sanitiser, ...redaction, ...money, ...dates, ...webhooks, ...input, ...output, ...answers],
  ...receiving,
]

const cell = (name: string, run: (seed: number) => Promise<Checked>, isSample = false): Cell<object> => ({
  ...{name: isSample ? `${name}, a sample` : name, group: name.split(':')[0] ?? '', isSample},
  async run(_, seed) {
    const {tried, failure} = await run(seed)
    return {count: tried, wrong: failure === undefined ? [] : [failure]}
  },
})

async function tryAllSaved(kind: (typeof KINDS)[number], seed: number): Promise<Checked> {
  const inputs = corpusOf(kind)
  const wrong: string[] = []
  for (const each of inputs) wrong.push(...(await trySaved(kind, each, seed)))
  return {tried: inputs.length, failure: wrong.length === 0 ? undefined : wrong.join('\n')}
}

export const fuzzing = part<object>({
  title: 'Hostile input',
  unit: 'inputs',
  cells: [
    ...PROPERTIES.flatMap(({name, check}) => [
      cell(name, seed => check(seed, SAMPLE_VALUES), true),
      cell(name, seed => check(seed, VALUES)),
    ]),
    ...KINDS.flatMap(kind => [
      cell(`fuzz ${kind.name}: saved`, seed => tryAllSaved(kind, seed)),
      cell(`fuzz ${kind.name}: new`, seed => fuzz(kind, seed, SAMPLE_INPUTS), true),
      cell(`fuzz ${kind.name}: new`, seed => fuzz(kind, seed, INPUTS)),
    ]),
  ],
  open: async () => ({close: async () => {}}),
  // Properties are limited by this process's own time.
  atOnce: 1,
})
