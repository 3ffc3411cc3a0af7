/** Models: the local sandbox beside a model of the service, and `reserve` beside a model of its promise, in random order. */
import {part} from '../part.js'
import {openSandbox} from '../races/crowd.js'
import {runClientModel} from './client.js'
import {runServiceModel} from './commands.js'

type Run = (bench: {origin: string}, seed: number, runs: number) => Promise<string[]>

const MODELS: readonly {group: string; runs: number; cells: number; sampleRuns: number; run: Run}[] = [
  {
    group: 'the service',
    runs: 100,
    cells: 12,
    sampleRuns: 5,
    run: (_, seed, runs) => runServiceModel(seed, runs),
  },
  {
    group: 'one reservation a consent',
    runs: 10,
    cells: 10,
    sampleRuns: 1,
    run: ({origin}, seed, runs) => runClientModel(origin, seed, runs),
  },
]

export const models = part({
  title: 'Models',
  unit: 'runs',
  cells: MODELS.flatMap(({group, runs, cells, sampleRuns, run}) =>
    Array.from({length: cells + 1}, (_, n) => ({
      name: n === 0 ? `${group}, a sample` : `${group}, ${n} of ${cells}`,
      group,
      isSample: n === 0,
      async run(bench: {origin: string}, seed: number) {
        const count = n === 0 ? sampleRuns : runs
        return {count, wrong: await run(bench, seed + n, count)}
      },
    })),
  ),
  open: openSandbox,
  atOnce: 1,
})
