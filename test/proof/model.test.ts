/** The models in short; `npm run proof` runs more than a thousand, from new seeds. */
import {expect, test} from 'vitest'
import {startLocalSandbox} from '../support/local-sandbox.js'
import {runClientModel} from './model-client.js'
import {runModel} from './model-commands.js'

/** Ours; the same each time, so that what fails here fails for everybody. */
const SEED = 6

test('the sandbox and a model of the service agree, whatever happens in whatever order', async () => {
  expect(await runModel(SEED, 20)).toBeUndefined()
})

test('one consent is one reservation at most, whatever befalls the wire and the process', async () => {
  const sandbox = await startLocalSandbox()
  try {
    expect(await runClientModel(sandbox, SEED, 2)).toBeUndefined()
  } finally {
    await sandbox.stop()
  }
})
