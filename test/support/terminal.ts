/** Runs `bookctl` at a real terminal: a pty, and a screen that obeys what is written to it. */
import process from 'node:process'
import {stripVTControlCharacters} from 'node:util'
import {spawn} from '@lydell/node-pty'
import xterm from '@xterm/headless'
import {ENTRY, type Home} from './bookctl.js'
import {PATIENCE_SECONDS} from './wait.js'

export const KEYS = {
  enter: '\r',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  backspace: '\u007f',
  escape: '\u001b',
  space: ' ',
  'ctrl-c': '\u0003',
  'ctrl-d': '\u0004',
  'ctrl-u': '\u0015',
} as const

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Record<string, string | undefined>
  /** What runs there, in place of `bookctl ...argv`. */
  readonly command?: readonly string[]
  /** How long it may take until it is killed, which ends it with 137. */
  readonly limitMilliseconds?: number
}

export type TerminalRun = ReturnType<typeof atTerminal>

/** The code of the marks in the output: `pid NUMBER` before the command starts, `exit CODE` after it ended. */
const MARK = 7777
/**
 * Runs the command (`"$@"`) and stays alive until its last mark was read: the terminal closes with its first process, and on a
 * busy machine the last lines can then be lost.
 */
const LEADER = `trap : HUP INT QUIT TERM; exec 3>&2 2>/dev/null
sh -c 'printf "\\033]${MARK};pid %s\\007" $$; exec "$@" 2>&3 3>&-' sh "$@"
printf "\\033]${MARK};exit %s\\007" $?; exec sleep 60`
const MARKS = new RegExp(`\u001b\\]${MARK};[^\u0007]*\u0007`, 'g')

/** Starts `bookctl ...argv`; it must be waited for by `exit`. */
export function atTerminal(home: Home, argv: readonly string[], options: TerminalOptions = {}) {
  const {columns = 80, rows = 24, limitMilliseconds = 2 * PATIENCE_SECONDS * 1000} = options
  const command = options.command ?? [process.execPath, ENTRY, ...argv]
  const env = {...home.surroundings(), TERM: 'xterm-256color', ...home.env, ...options.env}
  const defined = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
  const pty = spawn('sh', ['-c', LEADER, 'sh', ...command], {
    cols: columns,
    rows,
    cwd: home.directory,
    env: defined as Record<string, string>,
  })
  let pid = pty.pid
  let exitCode: number | undefined
  const shown = createScreen(columns, rows, mark => {
    const number = Number(mark.split(' ')[1])
    if (mark.startsWith('pid')) pid = number
    else {
      exitCode = number
      pty.kill('SIGKILL')
    }
  })
  pty.onData(shown.write)
  const tooLong = setTimeout(() => process.kill(pid, 'SIGKILL'), limitMilliseconds).unref()
  const exit = new Promise<number>(resolve =>
    pty.onExit(leader => {
      clearTimeout(tooLong)
      shown.end(() => resolve(exitCode ?? (leader.signal ? 128 + leader.signal : leader.exitCode)))
    }),
  )
  return {
    ...shown,
    /** The process number of the command; known once it has printed something. */
    pid: () => pid,
    type: (text: string) => pty.write(text),
    press: (...keys: (keyof typeof KEYS)[]) => pty.write(keys.map(key => KEYS[key]).join('')),
    resize(columns: number, rows: number) {
      shown.resize(columns, rows)
      pty.resize(columns, rows)
    },
    kill: (signal: NodeJS.Signals = 'SIGHUP') => process.kill(pid, signal),
    /** The exit code, 128 + the number of the signal that ended it, once all it wrote is on the screen. */
    exit,
  }
}

type Exchange = readonly [seen: string | RegExp, typed?: string]

/** Waits for what is seen, then types, for each of `exchanges`. */
export async function converse(
  terminal: Pick<TerminalRun, 'waitFor'> & {type(text: string): void},
  ...exchanges: readonly Exchange[]
): Promise<void> {
  for (const [seen, typed] of exchanges) {
    await terminal.waitFor(seen)
    if (typed !== undefined) terminal.type(typed)
  }
}

/** The same, and expects it to end with `exit`. */
export async function ends(
  terminal: Parameters<typeof converse>[0] & {readonly exit: Promise<number>},
  exit: number,
  ...exchanges: readonly Exchange[]
): Promise<void> {
  await converse(terminal, ...exchanges)
  const code = await terminal.exit
  if (code !== exit) throw new Error(`ended with ${code}, not with ${exit}`)
}

/** A screen that obeys what is written to it; `onMark` gets the text of each mark, once what comes before is shown. */
export function createScreen(columns: number, rows: number, onMark: (mark: string) => void = () => {}) {
  const terminal = new xterm.Terminal({cols: columns, rows, scrollback: 5000, allowProposedApi: true})
  terminal.parser.registerOscHandler(MARK, mark => {
    onMark(mark)
    return true
  })
  let raw = ''
  let ended = false
  /** How much of what was written, without escape sequences, lies before what is waited for. */
  let looked = 0
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const look of waiting) look()
  }
  const screen = () => linesOf(terminal).join('\n').trimEnd()
  const withoutMarks = () => raw.replace(MARKS, '')
  return {
    /** What is waited for is then on the screen, too. */
    write: (text: string) =>
      terminal.write(text, () => {
        raw += text
        changed()
      }),
    /** Nothing more is written; calls `done` when all of it is on the screen. */
    end: (done: () => void) =>
      terminal.write('', () => {
        ended = true
        changed()
        done()
      }),
    /** Waits until it was shown after what was waited for before; rejects when it does not come. */
    waitFor: (seen: string | RegExp) =>
      new Promise<void>((resolve, reject) => {
        const finish = (settle: () => void) => {
          clearTimeout(timer)
          waiting.delete(look)
          settle()
        }
        const fail = (why: string) =>
          finish(() => reject(new Error(`${why} without ${seen}; on the screen:\n${screen()}`)))
        const timer = setTimeout(() => fail('time passed'), PATIENCE_SECONDS * 1000)
        const look = () => {
          const text = stripVTControlCharacters(withoutMarks())
          const end = endOf(text.slice(looked), seen)
          if (end !== undefined) {
            looked += end
            finish(resolve)
          } else if (ended) fail('it ended')
        }
        waiting.add(look)
        look()
      }),
    screen,
    /** The column the cursor is in. */
    cursor: () => terminal.buffer.active.cursorX,
    /** All that was written, escape sequences too. */
    raw: withoutMarks,
    resize: (columns: number, rows: number) => terminal.resize(columns, rows),
  }
}

/** Where the first `seen` in `text` ends. */
function endOf(text: string, seen: string | RegExp): number | undefined {
  if (typeof seen === 'string') return text.includes(seen) ? text.indexOf(seen) + seen.length : undefined
  const match = seen.exec(text)
  return match ? match.index + match[0].length : undefined
}

function linesOf({buffer, rows}: xterm.Terminal): string[] {
  const {active} = buffer
  return Array.from(
    {length: rows},
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  )
}
