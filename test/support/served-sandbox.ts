/** A local sandbox inside the test's process, as `bookctl sandbox start` runs it, with a home that uses it. */
import {join} from 'node:path'
import {SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET} from '../../src/cli/features/sandbox/running.js'
import {createSandbox} from '../../src/sandbox/sandbox.js'
import {serveSandbox} from '../../src/sandbox/serve.js'
import {LISTEN_CA_NAME} from '../../src/state/file-names.js'
import {Home} from './bookctl.js'

export interface ServedSandbox {
  readonly home: Home
  readonly baseUrl: string
  readonly origin: string
  /** The environment that points commands at it. */
  readonly env: Record<string, string>
  stop(): Promise<void>
}

/** Serves one on a free port, with its state in memory. */
export async function serveLocalSandbox(): Promise<ServedSandbox> {
  const home = new Home()
  const caFiles = [join(home.configDirectory, LISTEN_CA_NAME)]
  const sandbox = createSandbox({database: ':memory:', caFiles})
  const {origin, baseUrl, close} = await serveSandbox(sandbox, {host: '127.0.0.1', port: 0})
  const env = {
    BOOKCTL_BASE_URL: baseUrl,
    BOOKCTL_CLIENT_ID: SANDBOX_CLIENT_ID,
    BOOKCTL_CLIENT_SECRET: SANDBOX_CLIENT_SECRET,
  }
  Object.assign(home.env, env)
  return {
    ...{home, baseUrl, origin, env},
    async stop() {
      await close()
      sandbox.close()
      home.remove()
    },
  }
}
