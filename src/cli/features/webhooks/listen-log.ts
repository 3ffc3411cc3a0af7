/**
 * What `listen` prints on stderr: one line for each occurrence. At a terminal the lines are for people, elsewhere they begin with
 * their time, and --log chooses text or JSON with stable keys.
 */
import {isoTime, systemClock} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {beforeDashes} from '../../shell/argv.js'
import type {LoggedFailure} from '../../shell/running.js'
import {jsonText} from '../../terminal/json-text.js'
import {createOccasionally, type LineWriter} from '../../terminal/line-writer.js'
import {stderrIsTerminal} from '../../terminal/streams.js'
import {createBackgroundTalk, say} from '../../terminal/talk.js'

/** Returns the format that --log names; undefined if it names none. The rest of the command line may be invalid. */
export function logFormatIn(argv: readonly string[]): LogFormat | undefined {
  const [, format] = /(?:^|\0)--log[=\0](text|json)(?:\0|$)/.exec(beforeDashes(argv).join('\0')) ?? []
  return format as LogFormat | undefined
}

export const LOG_FORMATS = ['text', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

type LogEvent =
  | 'start'
  | 'received'
  | 'refused'
  | 'forwarded'
  | 'given_up'
  | 'reloaded'
  | 'secret_added'
  | 'secret_removed'
  | 'store_works'
  | 'warning'
  | 'called'
  | 'stopping'
  | 'stopped'

/** A line. It must contain no body, no secret, no personal data and no query of a target. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: LogEvent
  readonly message: string
  readonly event_id?: string | undefined
  readonly event_type?: string | undefined
  readonly reason?: string | undefined
  readonly status?: number | undefined
  /** How long it took, in milliseconds. */
  readonly ms?: number | undefined
  readonly target?: string | undefined
  readonly attempt?: number | undefined
  /** How often it happened, where equal lines are counted. */
  readonly count?: number | undefined
  /** Further facts, of the first and the last line. */
  readonly [key: string]: unknown
}

const LEADS = {info: '', warn: 'Warning: ', error: 'ERROR: '} as const
const MOST_MESSAGE = 2000
const END_MILLISECONDS = 500

export class ListenLog {
  /** Whether each request and each forward has a line, even if stdout has one too. */
  readonly logsEach: boolean
  private readonly writer: LineWriter | undefined
  private hasStopped = false
  private lost = 0
  private reportedLost = 0
  private readonly occasionally = createOccasionally<LogLine>(
    (line, times) => this.writeTimes(line, times),
    ({message}) => message,
  )

  /** `format` is that of --log. With `isQuiet` and without --log, only warnings and errors are printed. */
  constructor(
    private readonly format: LogFormat | undefined,
    private readonly isQuiet: boolean,
  ) {
    this.logsEach = format !== undefined
    // Many lines are written in the background, so that a slow reader does not delay answers.
    if (format !== undefined)
      this.writer = createBackgroundTalk(() => {
        this.lost += 1
      })
  }

  write(line: LogLine): void {
    const {writer, format} = this
    if (line.event === 'stopped') this.hasStopped = true
    if (writer) {
      this.reportLost()
      writer.write(formatted(line, format))
    } else this.print(LEADS[line.level] + line.message, line.level)
  }

  /** Writes a text that was written for people, which may begin with `Warning: `. */
  writeText(text: string, level: LogLine['level']): void {
    if (this.writer) this.write({level, event: 'warning', message: text.replace(/^Warning: /, '')})
    else this.print(text, level)
  }

  /**
   * Writes why the command failed. Returns whether nothing else should report it on stderr: at a terminal it is reported as for
   * every command. A command that did not listen has stopped with this line.
   */
  async writeFailure({code, message, hint, text}: LoggedFailure): Promise<boolean> {
    if (this.writer) {
      const event = this.hasStopped ? 'warning' : 'stopped'
      this.write({level: 'error', event, message, reason: code, hint})
      await this.end()
      return true
    }
    if (stderrIsTerminal() || text === undefined) return false
    for (const line of text.split('\n')) this.print(line, 'error')
    return true
  }

  /** Writes a line at once and counts its repetitions, which are written once a second. */
  writeCounted(line: LogLine): void {
    this.occasionally.say(line)
  }

  private writeTimes(line: LogLine, times: number): void {
    if (times === 1) this.write(line)
    else this.write({...line, message: `${line.message} (${times} times)`, count: times})
  }

  private print(text: string, level: LogLine['level']): void {
    if (this.isQuiet && level === 'info') return
    say(stderrIsTerminal() ? text : `${timeNow()} ${text.trimStart()}`)
  }

  /** Resolves when all lines are written, or after half a second. Lines may still be written after it. */
  async end(): Promise<void> {
    this.occasionally.end()
    await this.writer?.drain(END_MILLISECONDS)
  }

  private reportLost(): void {
    if (this.lost === this.reportedLost) return
    this.reportedLost = this.lost
    const message = `${this.lost} lines of this log were dropped so far: their reader is too slow`
    this.writer?.write(formatted({level: 'warn', event: 'warning', message}, this.format))
  }
}

function timeNow(): string {
  return isoTime(systemClock.now())
}

function formatted({level, event, message, ...facts}: LogLine, format: LogFormat | undefined): string {
  const text = sanitizeLine(message, MOST_MESSAGE).trimStart()
  if (format === 'json') return jsonText({time: timeNow(), level, event, message: text, ...facts})
  const pairs = Object.entries({event, ...facts}).filter(([, value]) => value !== undefined && value !== null)
  const tail = pairs.map(([key, value]) => `${key}=${valueText(value)}`).join(' ')
  return `${timeNow()} ${level.toUpperCase().padEnd(5)} ${text} ${tail}`
}

/** Formats a value for `key=value`; quoted if it has spaces or quotes. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? sanitizeLine(value, MOST_MESSAGE) : jsonText(value)
  return /^[^\s"=]+$/.test(text) ? text : jsonText(text)
}
