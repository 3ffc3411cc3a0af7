/** `bookctl sandbox start` as a process of its own, for stories that need a real one. */
import type {ChildProcess} from 'node:child_process'
import {Home} from './bookctl.js'

export interface LocalSandbox {
  readonly home: Home
  readonly baseUrl: string
  readonly origin: string
  /** The environment that points commands at it. */
  readonly env: Record<string, string>
  /** Ends it with `signal`; returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Ends with the process at the other end of its stdin, however that ends. */
const ENDS_WITH_US = {
  stdin: null,
  env: {NODE_OPTIONS: `--import=${new URL('ends-with-parent.mjs', import.meta.url).href}`},
  limitMilliseconds: null,
}

/** Starts one in a home of its own, with its state in memory. */
export async function startLocalSandbox(): Promise<LocalSandbox> {
  const home = new Home()
  let child: ChildProcess | undefined
  const line = await new Promise<string>((resolve, reject) => {
    const ended = home.run(['sandbox', 'start', '--json', '--db', ':memory:'], {
      ...ENDS_WITH_US,
      onStart: started => {
        child = started
        let text = ''
        started.stdout?.on('data', chunk => {
          text += chunk
          if (text.includes('\n')) resolve(text)
        })
      },
    })
    ended.then(({stderr}) => reject(new Error(`the sandbox ended: ${stderr}`)), reject)
  }).catch(error => {
    home.remove()
    throw error
  })
  const {base_url, origin, client_id, client_secret} = JSON.parse(line)
  const env = {BOOKCTL_BASE_URL: base_url, BOOKCTL_CLIENT_ID: client_id, BOOKCTL_CLIENT_SECRET: client_secret}
  Object.assign(home.env, env)
  return {
    home,
    baseUrl: base_url,
    origin,
    env,
    stop: signal => stop(child, home, signal),
  }
}

async function stop(child: ChildProcess | undefined, home: Home, signal: NodeJS.Signals = 'SIGTERM') {
  const exit = await new Promise<number | null>(resolve => {
    if (child?.exitCode !== null) resolve(child?.exitCode ?? null)
    child?.once('close', code => resolve(code))
    child?.kill(signal)
  })
  home.remove()
  return exit
}
