/**
 * The secret of `login` at a real terminal: however the question ends, nothing that was typed is shown, neither in a
 * title nor for a moment, and nothing of it is in a file unless the login went well.
 */
import {readFileSync} from 'node:fs'
import {Home} from '../support/bookctl.js'
import {atTerminal, KEYS, type TerminalRun} from '../support/terminal.js'
import {waitUntil} from '../support/wait.js'
import {Canaries} from './canaries.js'
import {allowedIn, type LeakBench, type LeakResult, leaksIn, leaksOutside} from './leak-cell.js'
import {commonEnvironment, furnish} from './leak-home.js'
import type {SpecialCell} from './leak-special.js'

/** It has no like in the home, so that a byte of it can only come from here. */
const WRONG = 'sk_test_typedByHand0123456789'
const RIGHT = 'sk_test_sandbox'

interface Ending {
  readonly name: string
  /** What is done once the secret is asked for. */
  act(terminal: TerminalRun): Promise<void> | void
  readonly exits: readonly number[]
  readonly isRight?: boolean
}

const type = (...texts: string[]) => {
  return (terminal: TerminalRun) => terminal.type(texts.join(''))
}

const ENDINGS: readonly Ending[] = [
  {name: 'right', act: type(RIGHT, KEYS.enter), exits: [0], isRight: true},
  {name: 'refused', act: type(WRONG, KEYS.enter), exits: [4]},
  {name: 'Ctrl-C', act: type(WRONG, KEYS['ctrl-c']), exits: [130]},
  // Right after Escape it is another key, Alt-Ctrl-C.
  {
    name: 'Escape, Ctrl-C',
    act: type(WRONG, KEYS.escape, KEYS['ctrl-c'], KEYS['ctrl-c']),
    exits: [130],
  },
  {name: 'Ctrl-D, Ctrl-C', act: type(WRONG, KEYS['ctrl-d'], KEYS['ctrl-c']), exits: [0, 4, 130]},
  {
    name: 'arrows, Ctrl-C',
    act: type(WRONG, KEYS.up, KEYS.down, KEYS.left, KEYS.home, '\t', KEYS['ctrl-c']),
    exits: [130],
  },
  {name: 'corrected', act: type(WRONG, KEYS['ctrl-u'], RIGHT, KEYS.enter), exits: [0], isRight: true},
  {
    ...{name: 'of the wrong kind', exits: [130]},
    async act(terminal) {
      terminal.type(`whsec_typedByHand0123456789${KEYS.enter}`)
      await terminal.waitFor(/must|start/)
      terminal.press('ctrl-c')
    },
  },
  {
    ...{name: 'resized', exits: [130]},
    act(terminal) {
      terminal.type(WRONG)
      terminal.resize(40, 10)
      terminal.type(`more${KEYS['ctrl-c']}`)
    },
  },
  {
    ...{name: 'SIGTERM', exits: [143]},
    async act(terminal) {
      const before = bytesRead(terminal.pid)
      terminal.type(WRONG)
      // What comes after its end is the shell's, which shows it.
      await waitUntil(() => bytesRead(terminal.pid) >= before + WRONG.length, 'the secret to be read')
      terminal.kill('SIGTERM')
    },
  },
]

/** By a process, so far; where the system does not tell, endlessly many. */
function bytesRead(pid: number): number {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const MODES: readonly (readonly [string, Record<string, string>])[] = [
  ['drawn', {}],
  ['accessible', {BOOKCTL_ACCESSIBLE: '1'}],
  ['drawn, all', {BOOKCTL_DEBUG: '1', NODE_DEBUG: '*', DEBUG: '*'}],
]

export const PROMPT_CELLS: readonly SpecialCell[] = MODES.flatMap(([mode, env]) =>
  ENDINGS.map(ending => ({
    name: `login at a terminal (${mode}) × ${ending.name}`,
    group: 'login',
    run: (bench: LeakBench) => atPrompt(bench, env, ending),
  })),
)

async function atPrompt(
  {side, knowing}: LeakBench,
  env: Record<string, string>,
  ending: Ending,
): Promise<LeakResult> {
  const canaries = knowing.canaries.copy()
  canaries.add(WRONG, 'client secret')
  const home = new Home()
  Object.assign(home.env, commonEnvironment(home.directory))
  furnish(home, knowing)
  let terminal: TerminalRun | undefined
  let hasEnded = false
  try {
    const verbose = env.BOOKCTL_DEBUG ? ['-vv', '--print-curl', '--har', 'trace.har'] : []
    terminal = atTerminal(home, ['login', '--profile', 'typed', ...verbose], {env})
    await terminal.waitFor('Base URL')
    terminal.type(`${side.baseUrl}\r`)
    await terminal.waitFor('Client id')
    terminal.type('cid_sandbox\r')
    await terminal.waitFor('Client secret')
    await ending.act(terminal)
    const exit = await terminal.exit
    hasEnded = true
    canaries.meet(ending.isRight ? RIGHT : WRONG)
    canaries.meet(Object.values(home.env).join('\n'))
    const wrong = [
      ...leaksIn('the terminal', terminal.raw(), canaries),
      ...leaksIn('the screen', terminal.screen().replaceAll('\n', ''), canaries),
      ...leaksOutside(home, canaries, {commandLines: '', environments: ''}, name =>
        allowedIn(name, 'login', exit),
      ),
    ]
    const typed = new Canaries([['typedByHand', 'client secret']])
    wrong.push(...leaksOutside(home, typed, {commandLines: '', environments: ''}, () => []))
    if (!ending.exits.includes(exit)) wrong.push(`it ended with ${exit}`)
    return {
      wrong: wrong.length === 0 ? [] : [...wrong, `  ${JSON.stringify(terminal.raw()).slice(0, 3000)}`],
      canaries: canaries.size,
    }
  } finally {
    if (!hasEnded) terminal?.kill('SIGKILL')
    home.remove()
  }
}
