/** `bookctl sandbox start` as a process of its own, for stories that need a real one. */
import {Home} from './bookctl.js'

export type LocalSandbox = Awaited<ReturnType<typeof startLocalSandbox>>

/** Ends with the process at the other end of its stdin, however that ends. */
export const ENDS_WITH_US = {
  stdin: null,
  env: {NODE_OPTIONS: `--import=${new URL('ends-with-parent.mjs', import.meta.url).href}`},
  limitMilliseconds: null,
}

/** Starts one in a home of its own, with its state in memory; `env` points commands at it. */
export async function startLocalSandbox() {
  const home = new Home()
  const {child, ready, ended} = home.serve(['sandbox', 'start', '--db', ':memory:'], ENDS_WITH_US)
  const line = await ready
  if (line === undefined) {
    home.remove()
    throw new Error(`the sandbox ended: ${(await ended).stderr}`)
  }
  const {base_url: baseUrl = '', origin = '', client_id = '', client_secret = ''} = line
  const env = {BOOKCTL_BASE_URL: baseUrl, BOOKCTL_CLIENT_ID: client_id, BOOKCTL_CLIENT_SECRET: client_secret}
  Object.assign(home.env, env)
  /** Ends it with `signal`; returns its exit code, or the signal that ended it. */
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const {exit} = await ended
    home.remove()
    return exit
  }
  return {home, baseUrl, origin, env, stop}
}
