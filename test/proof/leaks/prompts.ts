/** The secret of `login` at a real terminal: however the question ends, nothing that was typed is shown. */
import {readFileSync} from 'node:fs'
import {atTerminal, KEYS, type TerminalRun} from '../../support/terminal.js'
import {waitUntil} from '../../support/wait.js'
import {type Bench, findLeaks, search} from './home.js'
import {allowedIn, Canaries} from './secrets.js'

/** Nothing else is like it, so that a byte of it can only come from the terminal. */
const WRONG = 'sk_test_typedByHand0123456789'
const RIGHT = 'sk_test_sandbox'

interface Ending {
  /** What is done once the secret is asked for. */
  readonly act: (terminal: TerminalRun) => Promise<void> | void
  readonly exits: readonly (number | undefined)[]
}

const type = (exits: Ending['exits'], ...texts: string[]): Ending => ({
  exits,
  act: terminal => terminal.type(texts.join('')),
})

/** However the question ends, nothing that was typed is shown, and it is in no file unless the login went well. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  right: type([0], RIGHT, KEYS.enter),
  'refused, Ctrl-C': {
    exits: [130],
    async act(terminal) {
      terminal.type(`${WRONG}${KEYS.enter}`)
      // It asks for a refused secret again.
      await terminal.waitFor(/, again/)
      terminal.type(`${WRONG}${KEYS['ctrl-c']}`)
    },
  },
  'Ctrl-C': type([130], WRONG, KEYS['ctrl-c']),
  // Right after Escape it is another key, Alt-Ctrl-C.
  'Escape, Ctrl-C': type([130], WRONG, KEYS.escape, KEYS['ctrl-c'], KEYS['ctrl-c']),
  'Ctrl-D, Ctrl-C': type([0, 4, 130], WRONG, KEYS['ctrl-d'], KEYS['ctrl-c']),
  'arrows, Ctrl-C': type([130], WRONG, KEYS.up, KEYS.down, KEYS.left, KEYS.home, '\t', KEYS['ctrl-c']),
  corrected: type([0], WRONG, KEYS['ctrl-u'], RIGHT, KEYS.enter),
  'of the wrong kind': {
    exits: [130],
    async act(terminal) {
      terminal.type(`whsec_typedByHand0123456789${KEYS.enter}`)
      await terminal.waitFor(/must|start/)
      terminal.press('ctrl-c')
    },
  },
  resized: {
    exits: [130],
    act(terminal) {
      terminal.type(WRONG)
      terminal.resize(40, 10)
      terminal.type(`more${KEYS['ctrl-c']}`)
    },
  },
  SIGTERM: {
    exits: [143],
    async act(terminal) {
      const before = bytesRead(terminal.pid)
      terminal.type(WRONG)
      // What comes after its end is the shell's, which shows it.
      await waitUntil(() => bytesRead(terminal.pid) >= before + WRONG.length, 'the secret to be read')
      terminal.kill('SIGTERM')
    },
  },
}

/** By a process so far; endlessly many where the system does not say. */
function bytesRead(pid: number): number {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const MODES: Readonly<Record<string, Record<string, string>>> = {
  drawn: {},
  accessible: {BOOKCTL_ACCESSIBLE: '1'},
  'drawn, all': {BOOKCTL_DEBUG: '1', NODE_DEBUG: '*', DEBUG: '*'},
}

const atPrompt = (bench: Bench, env: Record<string, string>, {act, exits}: Ending) =>
  search(bench, {env: {}}, async (home, canaries) => {
    delete home.env.BOOKCTL_BASE_URL
    canaries.add(WRONG, 'client secret')
    const verbose = env.BOOKCTL_DEBUG ? ['-vv', '--print-curl', '--har', 'trace.har'] : []
    const terminal = atTerminal(home, ['login', '--profile', 'typed', ...verbose], {env})
    let exit: number | undefined
    try {
      await terminal.waitFor('Base URL')
      terminal.type(`${bench.side.baseUrl}\r`)
      await terminal.waitFor('Client id')
      terminal.type('cid_sandbox\r')
      await terminal.waitFor('Client secret')
      await act(terminal)
      exit = await terminal.exit
    } finally {
      if (exit === undefined) terminal.kill('SIGKILL')
    }
    const screen = terminal.screen().replaceAll('\n', '')
    const typed = new Canaries([['typedByHand', 'client secret']])
    const wrong = [
      ...findLeaks(
        home,
        canaries,
        {stdout: terminal.raw(), stderr: screen},
        {file: name => allowedIn(name, 'login', exit)},
      ),
      ...findLeaks(home, typed, {}, {file: () => []}),
      ...(exits.includes(exit) ? [] : [`it ended with ${exit}`]),
    ]
    return wrong.length === 0 ? [] : [...wrong, JSON.stringify(terminal.raw()).slice(0, 3000)]
  })

export const PROMPTS = Object.entries(MODES).flatMap(([mode, env]) =>
  Object.entries(ENDINGS).map(([name, ending]) => ({
    name: `login at a terminal (${mode}) × ${name}`,
    run: (bench: Bench) => atPrompt(bench, env, ending),
  })),
)
