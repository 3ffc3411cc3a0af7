/** Models: sequences of what may happen, each done to the real parts and to a model of them. */
import {runClientModel} from '../../../test/proof/model-client.js'
import {runModel} from '../../../test/proof/model-commands.js'
import {startLocalSandbox} from '../../../test/support/local-sandbox.js'
import type {Part} from '../part.js'

/** Ours: so many take about half a minute. */
const SERVICE_RUNS = 100
const CLIENT_RUNS = 10
const SERVICE = Array.from({length: 12}, (_, n) => `model: the service, hundred ${n + 1}`)
const CLIENT = Array.from({length: 10}, (_, n) => `model: one reservation a consent, ten ${n + 1}`)

export const model: Part = {
  title: 'Models',
  unit: 'runs',
  names: () => [...SERVICE, ...CLIENT],
  async run(names, tell, {seed}) {
    for (const [n, name] of SERVICE.entries()) {
      if (!names.has(name)) continue
      const failure = await runModel(seed + n, SERVICE_RUNS)
      tell(name, {group: 'the service', count: SERVICE_RUNS, wrong: failure ? [failure] : []})
    }
    if (!CLIENT.some(name => names.has(name))) return
    const sandbox = await startLocalSandbox()
    try {
      for (const [n, name] of CLIENT.entries()) {
        if (!names.has(name)) continue
        const failure = await runClientModel(sandbox, seed + n, CLIENT_RUNS)
        tell(name, {group: 'one reservation a consent', count: CLIENT_RUNS, wrong: failure ? [failure] : []})
      }
    } finally {
      await sandbox.stop()
    }
  },
}
