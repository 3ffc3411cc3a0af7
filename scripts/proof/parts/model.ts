/** The model of the service: sequences of what may happen to it, each done to the sandbox and to the model. */
import {runModel} from '../../../test/proof/model-commands.js'
import type {Part} from '../part.js'

/** Ours: so many a cell take about half a minute. */
const RUNS = 100
const SERVICE = Array.from({length: 12}, (_, n) => `model: the service, hundred ${n + 1}`)

export const model: Part = {
  title: 'Model',
  unit: 'runs',
  names: () => SERVICE,
  async run(names, tell, {seed}) {
    for (const [n, name] of SERVICE.entries()) {
      if (!names.has(name)) continue
      const failure = await runModel(seed + n, RUNS)
      tell(name, {group: 'the service', count: RUNS, wrong: failure ? [failure] : []})
    }
  },
}
