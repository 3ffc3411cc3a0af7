/** Models: the local sandbox beside a model of the service, and `reserve` beside a model of its promise, in random order. */
import {part} from '../part.js'
import {openSandbox} from '../races/crowd.js'
import {runClientModel} from './client.js'
import {runServiceModel} from './commands.js'

interface Model {
  /** Runs of each cell, and of the sample. */
  readonly runs: number
  readonly sampleRuns: number
  readonly cells: number
  run(origin: string, seed: number, runs: number): Promise<string[]>
}

const MODELS: Readonly<Record<string, Model>> = {
  'the service': {runs: 100, sampleRuns: 3, cells: 12, run: (_, seed, runs) => runServiceModel(seed, runs)},
  'one reservation a consent': {runs: 10, sampleRuns: 1, cells: 10, run: runClientModel},
}

export const models = part({
  title: 'Models',
  unit: 'runs',
  cells: Object.entries(MODELS).flatMap(([group, {runs, sampleRuns, cells, run}]) =>
    Array.from({length: cells + 1}, (_, n) => ({
      name: n === 0 ? `${group}, a sample` : `${group}, ${n} of ${cells}`,
      ...{group, isSample: n === 0},
      async run({origin}: {origin: string}, seed: number) {
        const count = n === 0 ? sampleRuns : runs
        return {count, wrong: await run(origin, seed + n, count)}
      },
    })),
  ),
  open: openSandbox,
  atOnce: 1,
})
