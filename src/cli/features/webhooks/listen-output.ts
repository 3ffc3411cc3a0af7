/** The output of `listen`: a line for each request and each attempt to forward, printed after the answer. */
import {appendFile, closeSync, constants, fstatSync, openSync} from 'node:fs'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {bufferOf, type CaptureRecord, captureRecord} from '../../../webhooks/captures/records.js'
import type {RemovedSecret} from '../../../webhooks/diagnose/finding.js'
import type {ForwardReport} from '../../../webhooks/forward/forwarder.js'
import type {Receipt} from '../../../webhooks/receive/receiver.js'
import {gatherHeaders, pairsOf} from '../../../webhooks/signature/headers.js'
import {escapeUnsafe, jsonText} from '../../terminal/json-text.js'
import {createLineWriter, type LineWriter} from '../../terminal/line-writer.js'
import {csvPrinter, isForPeople, type OutputFlags} from '../../terminal/output.js'
import {finderOf} from '../../terminal/query.js'
import {answerText, ForwardNotes, ListenRows, type ListenTerms} from './listen-rows.js'
import {isLate, unansweredText} from './targets.js'

type LineOf = (record: CaptureRecord) => string | undefined

export class ListenOutput {
  private readonly stdout: LineWriter
  private readonly capture: Capture | undefined
  private readonly rows: ListenRows | undefined
  private readonly notes: ForwardNotes
  private readonly isJson: boolean
  private readonly printsJson: boolean
  /** "Ready" is the first line, even if a thousand come before it; the events themselves are in the store. */
  private early: string[] | undefined = []

  /** Throws a usage error if --capture cannot be written. */
  static async open(terms: ListenTerms): Promise<ListenOutput> {
    const {flags} = terms
    return new ListenOutput(
      terms,
      await (flags.query === undefined ? textLine(flags) : queryLine(flags.query)),
    )
  }

  private constructor(
    private readonly terms: ListenTerms,
    private readonly lineOf: LineOf,
  ) {
    const {flags, tell} = terms
    this.stdout = createLineWriter((error: NodeJS.ErrnoException | undefined) => {
      // A reader that has gone ends the command silently (streams.ts).
      if (error?.code !== 'EPIPE') tell('lines were dropped: their reader is too slow; the events are stored')
    })
    this.capture = flags.capture === undefined ? undefined : openCapture(flags.capture, tell)
    this.isJson = flags.json || flags.format === 'ndjson'
    this.printsJson = this.isJson && flags.query === undefined
    this.notes = new ForwardNotes(terms)
    if (isForPeople(flags, process.stdout))
      this.rows = new ListenRows(line => this.print(line), terms, this.notes)
  }

  /** The first line: where it listens, where it forwards to, and with how many secrets it checks. */
  ready(url: string, pid: number): void {
    const {targets, secrets, tell} = this.terms
    const count = secrets().length
    const to = targets.map((target, n) => `${n === 0 ? ' →' : ','} ${sanitizeLine(target, 200)}`).join('')
    if (this.isJson) this.stdout.write(jsonText({type: 'ready', url, pid}))
    else tell(`Ready: ${url}${to} (${count} signing ${count === 1 ? 'secret' : 'secrets'})`)
    for (const line of this.early ?? []) this.stdout.write(line)
    this.early = undefined
  }

  /** A request answered 200 or 401; `isShown` unless --event leaves it out, which forwards it, too. */
  request(receipt: Receipt, isShown: boolean, isTest: boolean) {
    const {capture, rows, printsJson} = this
    const json = capture || (printsJson && isShown) ? receiptLine(receipt) : ''
    capture?.writer.write(json)
    if (!isShown) return
    if (rows) return rows.request(receipt, isTest)
    const line = printsJson ? json : this.lineOf(captureRecord(receipt))
    if (line !== undefined) this.print(line)
  }

  /** A stored signing secret was removed: events signed with it are refused from now on. */
  secretRemoved({subscription_id, removed_at, removed_by}: RemovedSecret): void {
    if (!this.printsJson) return
    const removed = {type: 'secret_removed', subscription_id, removed_at: isoTime(removed_at), removed_by}
    this.print(jsonText(removed))
  }

  forward(report: ForwardReport) {
    if (this.rows) return this.rows.forward(report)
    if (this.printsJson) return this.print(jsonText(forwardDocument(report)))
    const event = `${sanitizeLine(report.eventId, 60)} → ${sanitizeLine(report.target, 200)}`
    this.terms.tell(`  ${event}: ${answerText(report, systemClock.now())}`)
    for (const note of this.notes.of(report)) this.terms.tell(note)
  }

  /** Writes the waiting lines, for at most `milliseconds`. */
  async end(milliseconds: number): Promise<void> {
    this.rows?.end()
    await Promise.all([this.stdout.drain(milliseconds), this.capture?.writer.drain(milliseconds)])
    this.capture?.close()
  }

  private print(line: string): void {
    if (this.early === undefined) this.stdout.write(line)
    else if (this.early.length < 1000) this.early.push(line)
  }
}

export function removalText({subscription_id, removed_at, removed_by}: RemovedSecret): string {
  const what = `the signing secret of ${sanitizeLine(subscription_id, 100)} was removed at ${isoTime(removed_at)}`
  return `${what} by bookctl ${sanitizeLine(removed_by, 100)}; events signed with it are now refused with 401`
}

/** The columns, and their widths where they are aligned. */
const WIDTHS = {
  received_at: 24,
  verdict: 7,
  reason: 18,
  event_type: 21,
  event_id: 30,
  duplicate: 5,
  ack_ms: 0,
}
type EventColumn = keyof typeof WIDTHS
export const EVENT_COLUMNS = Object.keys(WIDTHS) as EventColumn[]

/** A request as a line of cells: aligned at a terminal, separated by tabs or commas in a pipe. */
async function textLine(flags: OutputFlags): Promise<LineOf> {
  const chosen = flags.columns?.split(',').map(name => name.trim() as EventColumn)
  const names = chosen ?? EVENT_COLUMNS
  const cellOf = (record: CaptureRecord, name: EventColumn) => sanitizeLine(String(record[name] ?? ''))
  const cellsOf = (record: CaptureRecord) => names.map(name => cellOf(record, name))
  if (flags.quiet)
    // A bare id hides that the signature failed.
    return record => (record.verdict === 'valid' ? cellOf(record, 'event_id') : undefined)
  if (flags.format === 'csv') {
    const csvLines = await csvPrinter()
    return record => csvLines([cellsOf(record)]).slice(0, -1)
  }
  const isAligned = process.stdout.isTTY && (flags.format === undefined || flags.format === 'table')
  if (!isAligned) return record => cellsOf(record).join('\t')
  return record =>
    names
      .map(name => cellOf(record, name).padEnd(WIDTHS[name]))
      .join('  ')
      .trimEnd()
}

/** The result of --query for each record, if there is one. */
async function queryLine(query: string): Promise<LineOf> {
  const find = await finderOf(query)
  return record => {
    const found = find({...record, headers: {...record.headers}})
    if (found === null || found === undefined) return undefined
    return typeof found === 'string' ? sanitizeLine(found) : jsonText(found)
  }
}

function forwardDocument(report: ForwardReport): object {
  const {eventId: event_id, target, attempt, state, status, ms} = report
  const error = unansweredText(report.error, target)
  const document = {type: 'forward', event_id, target, attempt, state, status, ms, late: isLate(ms), error}
  return {...document, next_attempt_at: state === 'pending' ? isoTime(report.nextAttemptAt) : null}
}

interface Capture {
  readonly writer: LineWriter
  close(): void
}

const {O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK = 0} = constants

/** The file of --capture, created 0600: bodies contain personal data. Throws a usage error if it cannot be written. */
function openCapture(path: string, tell: (text: string) => void): Capture {
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0o600)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    const hint = 'make its directory writable, or choose another file'
    throw usage('cannot_write', `--capture: cannot write ${sanitizeLine(path, 200)} (${code})`, hint)
  }
  // Writing to a full pipe would block, and no signal could end that. A device such as /dev/null does not block.
  const stats = fstatSync(file)
  if (!stats.isFile() && !stats.isCharacterDevice()) {
    closeSync(file)
    const hint = 'choose a file, or pipe the lines of --json'
    throw usage('cannot_write', `--capture: ${sanitizeLine(path, 200)} is not a file`, hint)
  }
  const writer = createLineWriter(
    (error: NodeJS.ErrnoException | undefined) =>
      tell(`--capture: lines are missing in the file: ${error?.code ?? 'too slow'}`),
    (text, done) => appendFile(file, text, done),
  )
  return {writer, close: () => closeSync(file)}
}

/**
 * A receipt as the line that --json prints, built from texts: numbers stay as the service wrote them, and the main thread
 * of `listen` takes a tenth less time than with JSON.stringify (`npm run bench`, listen).
 */
export function receiptLine(receipt: Receipt): string {
  const {reason, eventId, type, duplicate, receivedAt, ackMilliseconds, rawHeaders} = receipt
  // The body of a refused request may be anything.
  if (reason !== 'ok') return jsonText(captureRecord(receipt))
  const body = bufferOf(receipt.body)
  const time = new Date(receivedAt * 1000).toISOString()
  const ack = Math.round(ackMilliseconds * 100) / 100
  return (
    `{"type":"event","verdict":"valid","reason":"ok","event_id":${quoted(eventId)},"event_type":${quoted(type)},` +
    `"duplicate":${duplicate},"received_at":"${time}","ack_ms":${ack},"body_base64":"${body.toString('base64')}",` +
    `"headers":${headersText(rawHeaders)},"event":${onOneLine(body.toString('utf8'))}}`
  )
}

/** Text that JSON and `escapeUnsafe` do not change. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function quoted(text: string | null | undefined): string {
  return typeof text === 'string' && PLAIN.test(text) ? `"${text}"` : jsonText(text)
}

function headersText(rawHeaders: readonly string[]): string {
  const names: string[] = []
  let text = ''
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = (rawHeaders[n] as string).toLowerCase()
    if (names.includes(name) || n > MOST_PLAIN) return jsonText(gatherHeaders(pairsOf(rawHeaders)))
    names.push(name)
    text += `${n === 0 ? '{' : ','}${quoted(name)}:${quoted(rawHeaders[n + 1])}`
  }
  return `${text || '{'}}`
}

/** Names and values. With more of them, looking for repeated names costs more than it saves. */
const MOST_PLAIN = 60

/** JSON on one line: line breaks are only between its tokens. */
function onOneLine(json: string): string {
  return /^[\x20-\x7e]*$/.test(json) ? json : escapeUnsafe(json.replace(/[\t\n\r]/g, ' '))
}
