/** A local sandbox inside the test's process, as `bookctl sandbox start` runs it, with a home that uses it. */
import {join} from 'node:path'
import {afterAll, onTestFinished} from 'vitest'
import {credentialsOf} from '../../src/cli/features/sandbox/command.js'
import {writeRecord} from '../../src/cli/session/sandbox-records.js'
import {createSandbox} from '../../src/sandbox/sandbox.js'
import {serveSandbox} from '../../src/sandbox/serve.js'
import {LISTEN_CA_NAME} from '../../src/state/file-names.js'
import {Home} from './bookctl.js'

export type ServedSandbox = Awaited<ReturnType<typeof serveLocalSandbox>>

/** For the top of a test file: one for all of its tests. */
export async function sandboxOfFile() {
  const sandbox = await serveLocalSandbox()
  afterAll(() => sandbox.stop())
  return sandbox
}

/** For one test; the commands of its home find it. */
export async function ownSandbox() {
  const sandbox = await serveLocalSandbox()
  onTestFinished(sandbox.stop)
  sandbox.recordIn(sandbox.home)
  return sandbox
}

/** Serves one on a free port, with its state in memory. `home` and `env` point commands at it. */
export async function serveLocalSandbox() {
  const home = new Home()
  const caFile = join(home.configDirectory, LISTEN_CA_NAME)
  const sandbox = createSandbox({database: ':memory:', caFile})
  const {origin, baseUrl, close} = await serveSandbox(sandbox, {host: '127.0.0.1', port: 0})
  const env = {
    BOOKCTL_BASE_URL: baseUrl,
    BOOKCTL_CLIENT_ID: credentialsOf().client_id,
    BOOKCTL_CLIENT_SECRET: credentialsOf().client_secret,
  }
  Object.assign(home.env, env)
  const record = {base_url: baseUrl, origin, pid: process.pid, database: ':memory:', started_at: ''}
  const control = async <T = Record<string, unknown>[]>(method: string, path: string, body?: object) => {
    const headers = {'content-type': 'application/json'}
    const sent = body === undefined ? {method} : {method, headers, body: JSON.stringify(body)}
    const answer = await fetch(`${origin}/_sandbox/${path}`, sent)
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return (answer.status === 204 ? undefined : ((await answer.json()) as {data: T}).data) as T
  }
  return {
    home,
    baseUrl,
    origin,
    env,
    /** Lets the commands `sandbox …` of that home find it, as if it had been started there. */
    recordIn: ({configDirectory}: Home) => void writeRecord(configDirectory, record),
    /** Calls a control, for example `clock`; returns its data. */
    control,
    /** The requests that came, as `POST /partner-api/v1/reservations/hotel`. */
    async requests() {
      const received = await control<{method: string; path: string}[]>('GET', 'requests')
      return received.map(({method, path}) => `${method} ${path}`)
    },
    /** Injects a fault into the next call of `operation`, or as many as `times` says. */
    fault: (operation: string, kind: string, more: object = {}) =>
      control('POST', 'faults', {operation, kind, times: 1, ...more}),
    async stop() {
      await close()
      sandbox.close()
      home.remove()
    },
  }
}
