/** Runs `bookctl` in a real terminal: a pty, and a screen that interprets the output. */
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
  /** The command to run instead of `bookctl ...argv`. */
  readonly command?: readonly string[]
  /** Time limit after which the command is killed; its exit code is then 137. */
  readonly limitMilliseconds?: number
}

export type TerminalRun = ReturnType<typeof atTerminal>

/** The code of the marks in the output: `pid NUMBER` before the command starts, and `exit CODE` after it ended. */
const MARK = 7777
/**
 * Runs the command (`"$@"`) and stays alive until its last mark was read. The terminal closes when its first process ends, and on
 * a busy machine the last lines could then be lost.
 */
const LEADER = `trap : HUP INT QUIT TERM; exec 3>&2 2>/dev/null
sh -c 'printf "\\033]${MARK};pid %s\\007" $$; exec "$@" 2>&3 3>&-' sh "$@"
printf "\\033]${MARK};exit %s\\007" $?; exec sleep 60`
const MARKS = new RegExp(`\u001b\\]${MARK};[^\u0007]*\u0007`, 'g')

/** Starts `bookctl ...argv`. The test must wait for `exit`. */
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
    /** The process id of the command, known once it has printed something. */
    pid: () => pid,
    type: (text: string) => pty.write(text),
    press: (...keys: (keyof typeof KEYS)[]) => pty.write(keys.map(key => KEYS[key]).join('')),
    resize(columns: number, rows: number) {
      shown.resize(columns, rows)
      pty.resize(columns, rows)
    },
    kill: (signal: NodeJS.Signals = 'SIGHUP') => process.kill(pid, signal),
    /** The exit code, or 128 + the number of the signal that ended the command, once all output is on the screen. */
    exit,
  }
}

type Exchange = readonly [seen: string | RegExp, typed?: string]

/** For each of `exchanges`, waits for a text, then types. */
export async function converse(
  terminal: Pick<TerminalRun, 'waitFor'> & {type(text: string): void},
  ...exchanges: readonly Exchange[]
): Promise<void> {
  for (const [seen, typed] of exchanges) {
    await terminal.waitFor(seen)
    if (typed !== undefined) terminal.type(typed)
  }
}

/** Like `converse`, and then expects that the command ends with `exit`. */
export async function ends(
  terminal: Parameters<typeof converse>[0] & {readonly exit: Promise<number>},
  exit: number,
  ...exchanges: readonly Exchange[]
): Promise<void> {
  await converse(terminal, ...exchanges)
  const code = await terminal.exit
  if (code !== exit) throw new Error(`ended with ${code}, not with ${exit}`)
}

/**
 * Creates a screen that interprets the output. `onMark` is called with the text of each mark, after the output before it is
 * shown.
 */
export function createScreen(columns: number, rows: number, onMark: (mark: string) => void = () => {}) {
  const terminal = new xterm.Terminal({cols: columns, rows, scrollback: 5000, allowProposedApi: true})
  terminal.parser.registerOscHandler(MARK, mark => {
    onMark(mark)
    return true
  })
  let raw = ''
  let ended = false
  /** The position in the output, without escape sequences, after the last text that was waited for. */
  let looked = 0
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const look of waiting) look()
  }
  const screen = () => linesOf(terminal).join('\n').trimEnd()
  const withoutMarks = () => raw.replace(MARKS, '')
  return {
    /** By then the text that was waited for is on the screen, too. */
    write: (text: string) =>
      terminal.write(text, () => {
        raw += text
        changed()
      }),
    /** Ends the output. Calls `done` once all of it is on the screen. */
    end: (done: () => void) =>
      terminal.write('', () => {
        ended = true
        changed()
        done()
      }),
    /** Waits until the text is shown after the previous text that was waited for. Rejects if it does not appear. */
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
    /** The column of the cursor. */
    cursor: () => terminal.buffer.active.cursorX,
    /** All output, including escape sequences. */
    raw: withoutMarks,
    resize: (columns: number, rows: number) => terminal.resize(columns, rows),
  }
}

/** Returns the position after the first match of `seen` in `text`. */
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
