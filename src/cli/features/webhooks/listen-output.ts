/** What `listen` prints: one line a request, and one an attempt to forward. Everything here comes after the answer. */
import {appendFile, closeSync, constants, fstatSync, openSync} from 'node:fs'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import type {ForwardReport} from '../../../webhooks/forward/forwarder.js'
import {type CaptureRecord, captureRecord} from '../../../webhooks/receive/capture-record.js'
import type {Receipt} from '../../../webhooks/receive/receiver.js'
import {jsonText} from '../../terminal/json-text.js'
import {createLineWriter, type LineWriter, sendToStdout} from '../../terminal/line-writer.js'
import type {OutputFlags} from '../../terminal/output.js'
import {receiptLine} from './listen-line.js'

export const EVENT_COLUMNS = [
  ...['received_at', 'verdict', 'reason', 'event_type', 'event_id', 'duplicate', 'ack_ms'],
] as const

export interface ListenOutput {
  /** The first line: where it listens. */
  ready(url: string, pid: number): void
  /** A request answered 200 or 401; `shown` unless its type was not asked for. */
  request(receipt: Receipt, shown: boolean): void
  forward(report: ForwardReport): void
  /** Writes what waits to be written, for at most `milliseconds`. */
  end(milliseconds: number): Promise<void>
}

export interface OutputParts {
  readonly flags: OutputFlags & {readonly capture?: string | undefined}
  /** Says something on stderr. */
  readonly tell: (text: string) => void
}

export async function createListenOutput({flags, tell}: OutputParts): Promise<ListenOutput> {
  const stdout = createLineWriter({
    send: sendToStdout,
    onLost: () => tell('lines were left out: nobody reads them fast enough; the events are kept'),
  })
  const capture = flags.capture === undefined ? undefined : openCapture(flags.capture, tell)
  const asJson = flags.json || flags.format === 'ndjson'
  const printsJson = asJson && flags.query === undefined
  const lineOf = await (flags.query === undefined ? textLine(flags) : queryLine(flags.query))
  // "Ready" is the first line, also when an event was quicker.
  let early: string[] | undefined = []
  const print = (line: string) => {
    if (early === undefined) stdout.write(line)
    else if (early.length < MOST_EARLY) early.push(line)
  }
  return {
    ready(url, pid) {
      if (asJson) stdout.write(jsonText({type: 'ready', url, pid}))
      else tell(`Ready: ${url}`)
      for (const line of early ?? []) stdout.write(line)
      early = undefined
    },
    request(receipt, shown) {
      const json = capture || (printsJson && shown) ? receiptLine(receipt) : ''
      capture?.writer.write(json)
      if (!shown) return
      const line = printsJson ? json : lineOf(captureRecord(receipt))
      if (line !== undefined) print(line)
    },
    forward(report) {
      if (printsJson) print(jsonText(forwardDocument(report)))
      else tell(forwardLine(report))
    },
    async end(milliseconds) {
      await Promise.all([stdout.drain(milliseconds), capture?.writer.drain(milliseconds)])
      capture?.close()
    },
  }
}

/** Lines kept until "ready"; the events themselves are in the store. */
const MOST_EARLY = 1000

/** A request as a line of cells: aligned at a terminal, separated by tabs or commas in a pipe. */
async function textLine(flags: OutputFlags): Promise<(record: CaptureRecord) => string | undefined> {
  const csv = flags.format === 'csv' ? await import('csv-stringify/sync') : undefined
  const names = flags.columns?.split(',').map(name => name.trim()) ?? EVENT_COLUMNS
  const aligned = process.stdout.isTTY && (flags.format === undefined || flags.format === 'table')
  return record => {
    // An identifier alone does not say that it is one of nobody.
    if (flags.quiet) return record.verdict === 'valid' ? sanitizeLine(record.event_id ?? '') : undefined
    const cells = names.map(name =>
      sanitizeLine(String((record as unknown as Record<string, unknown>)[name] ?? '')),
    )
    if (aligned)
      return cells
        .map((cell, n) => cell.padEnd(WIDTHS[names[n] as string] ?? 10))
        .join('  ')
        .trimEnd()
    return csv ? csv.stringify([cells], {eof: false}) : cells.join('\t')
  }
}

const WIDTHS: Readonly<Record<string, number>> = {
  received_at: 24,
  verdict: 7,
  reason: 18,
  event_type: 21,
  event_id: 30,
  duplicate: 5,
}

/** `--query`: what it finds in each record; nothing where it finds nothing. */
async function queryLine(query: string): Promise<(record: CaptureRecord) => string | undefined> {
  const {search} = await import('@jmespath-community/jmespath')
  return record => {
    try {
      const found = search({...record, headers: {...record.headers}} as never, query)
      if (found === null || found === undefined) return undefined
      return typeof found === 'string' ? sanitizeLine(found) : jsonText(found)
    } catch {
      return undefined
    }
  }
}

/** One attempt to hand an event on, as JSON. `late`: the service would not have waited for this answer (§6.4). */
export function forwardDocument(report: ForwardReport): object {
  const {eventId, target, attempt, state, status, ms, error, nextAttemptAt} = report
  return {
    type: 'forward',
    event_id: eventId,
    target,
    attempt,
    state,
    status,
    ms,
    late: isLate(ms),
    error,
    next_attempt_at: state === 'pending' ? new Date(nextAttemptAt * 1000).toISOString() : null,
  }
}

export function isLate(milliseconds: number): boolean {
  return milliseconds > WEBHOOK_RESPONSE_SECONDS * 1000
}

function forwardLine({
  eventId,
  target,
  attempt,
  state,
  status,
  ms,
  error,
  nextAttemptAt,
}: ForwardReport): string {
  const outcome = status === null ? `no answer (${sanitizeLine(error ?? '', 60)})` : `${status}`
  const late = isLate(ms) ? `, later than the ${WEBHOOK_RESPONSE_SECONDS} s a receiver has` : ''
  const next = {
    done: '',
    given_up: '; given up',
    pending: `; again at ${new Date(nextAttemptAt * 1000).toISOString()}`,
  }[state]
  return `  ${sanitizeLine(eventId, 60)} → ${sanitizeLine(target, 200)}: ${outcome} in ${ms} ms${late}, attempt ${attempt}${next}`
}

const {O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK = 0} = constants

/** A pipe can hold up whoever writes to it, and no signal ends that; a device such as /dev/null does not. */
function isOnDisk(file: number): boolean {
  const stats = fstatSync(file)
  return stats.isFile() || stats.isCharacterDevice()
}

/** The file of --capture, made 0600 when it is new: bodies hold people's data. Throws usage. */
function openCapture(path: string, tell: (text: string) => void): {writer: LineWriter; close(): void} {
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0o600)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    const hint = 'make its directory writable, or name a file elsewhere'
    throw usage('cannot_write', `--capture: cannot write ${sanitizeLine(path, 200)} (${code})`, hint)
  }
  if (!isOnDisk(file)) {
    closeSync(file)
    const hint = 'name a file, or pipe the lines of --json'
    throw usage('cannot_write', `--capture: ${sanitizeLine(path, 200)} is no file to append to`, hint)
  }
  const writer = createLineWriter({
    send: (text, done) => appendFile(file, text, done),
    onLost: error =>
      tell(
        `--capture: lines are missing in the file: ${(error as NodeJS.ErrnoException)?.code ?? 'too slow'}`,
      ),
  })
  return {writer, close: () => closeSync(file)}
}
