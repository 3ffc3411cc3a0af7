/** Runs `bookctl` at a terminal, as `script` (util-linux) makes one, and types. */
import {spawn, spawnSync} from 'node:child_process'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import type {Home} from './bookctl.js'

const ENTRY = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

/** Whether there is a `script` that gives the exit code of what it runs. */
export const HAS_TERMINAL =
  process.platform === 'linux' && /util-linux/.test(String(spawnSync('script', ['--version']).stdout))

/** What to type, each as soon as its text is on the screen after what was typed before. */
export type Typing = readonly (readonly [seen: string, typed: string])[]

/** Runs to the end; returns the exit code and everything that was on the screen. */
export function atTerminal(
  home: Home,
  argv: readonly string[],
  typing: Typing = [],
): Promise<{exit: number | null; screen: string}> {
  const words = [process.execPath, ENTRY, ...argv].map(word => `'${word.replaceAll("'", `'\\''`)}'`)
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(BOOKCTL_|CI$|.*_proxy$|NODE_|VITEST)/i.test(name),
  )
  const child = spawn('script', ['--quiet', '--return', '--command', words.join(' '), '/dev/null'], {
    cwd: home.directory,
    env: {
      ...Object.fromEntries(inherited),
      HOME: home.directory,
      BOOKCTL_CONFIG_DIR: home.configDirectory,
      TERM: 'xterm',
      SHELL: '/bin/sh',
      ...home.env,
    },
  })
  const left = [...typing]
  let screen = ''
  let looked = 0
  child.stdout.setEncoding('utf8').on('data', text => {
    screen += text
    const [next] = left
    if (!next || !screen.slice(looked).includes(next[0])) return
    left.shift()
    looked = screen.length
    child.stdin.write(next[1])
  })
  child.stdin.on('error', () => {})
  return new Promise(resolve => child.on('close', exit => resolve({exit, screen})))
}
