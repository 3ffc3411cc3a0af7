/** The secret of `login` at a real terminal: however the question ends, nothing that was typed is shown. */
import {readFileSync} from 'node:fs'
import {atTerminal, KEYS, type TerminalRun} from '../../support/terminal.js'
import {waitUntil} from '../../support/wait.js'
import {type Bench, findLeaks, search} from './home.js'
import {Canaries} from './secrets.js'

/** Nothing else is like it, so that a byte of it can only come from the terminal. */
const WRONG = 'sk_test_typedByHand0123456789'
const RIGHT = 'sk_test_sandbox'

/** How it may end, and what is done once the secret is asked for: typed, waited for, or something else. */
type Ending = readonly [
  exits: readonly number[],
  ...acts: (string | RegExp | ((at: TerminalRun) => unknown))[],
]

const {
  enter,
  escape: ESCAPE,
  up,
  down,
  left,
  home: HOME,
  'ctrl-c': CTRL_C,
  'ctrl-d': CTRL_D,
  'ctrl-u': CTRL_U,
} = KEYS
const ENDINGS: Readonly<Record<string, Ending>> = {
  right: [[0], RIGHT + enter],
  // It asks for a refused secret again.
  'refused, Ctrl-C': [[130], WRONG + enter, /, again/, WRONG + CTRL_C],
  'Ctrl-C': [[130], WRONG + CTRL_C],
  // Right after Escape it is another key, Alt-Ctrl-C.
  'Escape, Ctrl-C': [[130], WRONG + ESCAPE + CTRL_C + CTRL_C],
  'Ctrl-D, Ctrl-C': [[0, 4, 130], WRONG + CTRL_D + CTRL_C],
  'arrows, Ctrl-C': [[130], [WRONG, up, down, left, HOME, '\t', CTRL_C].join('')],
  corrected: [[0], WRONG + CTRL_U + RIGHT + enter],
  'of the wrong kind': [[130], `whsec_typedByHand0123456789${enter}`, /must|start/, CTRL_C],
  resized: [[130], WRONG, terminal => terminal.resize(40, 10), `more${CTRL_C}`],
  SIGTERM: [[143], typedAndRead, terminal => terminal.kill('SIGTERM')],
}

/** What comes after its end is the shell's, which shows it. */
async function typedAndRead(terminal: TerminalRun): Promise<void> {
  const before = bytesRead(terminal.pid)
  terminal.type(WRONG)
  await waitUntil(() => bytesRead(terminal.pid) >= before + WRONG.length, 'the secret to be read')
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

const atPrompt = (bench: Bench, env: Record<string, string>, [exits, ...acts]: Ending) =>
  search(bench, {env: {}}, async (home, canaries) => {
    delete home.env.BOOKCTL_BASE_URL
    canaries.add(WRONG, 'client secret')
    const verbose = env.BOOKCTL_DEBUG ? ['-vv', '--print-curl', '--har', 'trace.har'] : []
    const terminal = atTerminal(home, ['login', '--profile', 'typed', ...verbose], {env})
    const asked = [/Base URL/, `${bench.side.baseUrl}\r`, /Client id/, 'cid_sandbox\r', /Client secret/]
    for (const act of [...asked, ...acts])
      if (typeof act === 'string') terminal.type(act)
      else await (act instanceof RegExp ? terminal.waitFor(act) : act(terminal))
    const exit = await terminal.exit
    const screen = terminal.screen().replaceAll('\n', '')
    const typed = new Canaries([['typedByHand', 'client secret']])
    const wrong = [
      ...findLeaks(home, canaries, 'login', {exit, stdout: terminal.raw(), stderr: screen}),
      ...findLeaks(home, typed, 'login', {}, {file: () => []}),
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
