/** A local sandbox that is served from the test's process as `bookctl sandbox start` serves it, and a home that uses it. */
import {join} from 'node:path'
import {afterAll, onTestFinished} from 'vitest'
import {credentialsOf} from '../../src/cli/features/sandbox/command.js'
import {writeRecord} from '../../src/cli/session/sandbox-records.js'
import {LISTEN_CA_NAME} from '../../src/state/file-names.js'
import {Home} from './bookctl.js'
import {startSandbox} from './sandbox.js'

/** Serves one sandbox for all tests of a file; call it at the top level. */
export async function sandboxOfFile() {
  const sandbox = await serveLocalSandbox()
  afterAll(() => sandbox.stop())
  return sandbox
}

/** Serves a sandbox for one test. Commands in its home find it. */
export async function ownSandbox() {
  const sandbox = await serveLocalSandbox()
  onTestFinished(sandbox.stop)
  await sandbox.recordIn(sandbox.home)
  return sandbox
}

/** Serves a sandbox on a free port, with its state in memory. `home` and `env` make commands use it. */
async function serveLocalSandbox() {
  const home = new Home()
  const caFile = join(home.configDirectory, LISTEN_CA_NAME)
  const sandbox = await startSandbox({caFile, clock: () => Date.now() / 1000})
  const {origin, baseUrl, control, listed, fault, close} = sandbox
  const env = {
    BOOKCTL_BASE_URL: baseUrl,
    BOOKCTL_CLIENT_ID: credentialsOf().client_id,
    BOOKCTL_CLIENT_SECRET: credentialsOf().client_secret,
  }
  Object.assign(home.env, env)
  const record = {base_url: baseUrl, origin, pid: process.pid, database: ':memory:', started_at: ''}

  return {
    home,
    baseUrl,
    origin,
    env,
    /** Makes the commands `sandbox …` in that home find the sandbox, as if it had been started there. */
    recordIn: ({configDirectory}: Home) => writeRecord(configDirectory, record),
    control,
    listed,
    fault,
    /** Returns what `run` returns, and the log of the requests that it causes. The sandbox keeps the last 200. */
    async during<T>(run: () => Promise<T>) {
      const before = new Set((await listed('requests')).map(({request_id}) => request_id))
      const result = await run()
      return {result, log: (await listed('requests')).filter(({request_id}) => !before.has(request_id))}
    },
    /** Returns the requests received, in the form `POST /partner-api/v1/reservations/hotel`. */
    async requests(): Promise<string[]> {
      return (await listed('requests')).map(({method, path}) => `${method} ${path}`)
    },
    async stop() {
      await close()
      home.remove()
    },
  }
}
