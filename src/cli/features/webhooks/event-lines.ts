/**
 * Shows received requests: as rows for a person, as lines of cells, as the result of --query, and as lines in the file
 * of --capture.
 */
import {appendFile, closeSync, constants, fstatSync, openSync} from 'node:fs'
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isObject} from '../../../contract/json.js'
import {type CaptureRecord, parseBody} from '../../../webhooks/captures/records.js'
import type {Finding} from '../../../webhooks/diagnose/finding.js'
import type {Receipt} from '../../../webhooks/receive/receiver.js'
import {marksFor} from '../../terminal/colour.js'
import {jsonText} from '../../terminal/json-text.js'
import {createLineWriter} from '../../terminal/line-writer.js'
import {csvPrinter, type OutputFlags, terminalOf} from '../../terminal/output.js'
import {finderOf} from '../../terminal/query.js'
import {hang, textWidth} from '../../terminal/text.js'

export type LineOf<Shown = CaptureRecord> = (record: Shown) => string | undefined

/** The columns of `webhooks listen`, with their widths at a terminal. */
export const EVENT_WIDTHS = {
  received_at: 24,
  verdict: 7,
  reason: 18,
  event_type: 21,
  event_id: 30,
  duplicate: 5,
  ack_ms: 0,
}
export const EVENT_COLUMNS = Object.keys(EVENT_WIDTHS) as (keyof typeof EVENT_WIDTHS)[]

/**
 * Returns a function that formats a request as one line: as the result of --query, or as cells. Cells are aligned at a
 * terminal, and separated by tabs or commas in a pipe. `widths` names the columns, unless --columns chooses others.
 */
export async function lineOf<Shown extends Pick<CaptureRecord, 'verdict' | 'headers'>>(
  flags: OutputFlags,
  widths: Readonly<Record<string, number>>,
): Promise<LineOf<Shown>> {
  if (flags.query !== undefined) {
    const find = await finderOf(flags.query)
    return record => {
      const found = find({...record, headers: {...record.headers}})
      if (found === null || found === undefined) return undefined
      return typeof found === 'string' ? sanitizeLine(found) : jsonText(found)
    }
  }
  const names = flags.columns?.split(',').map(name => name.trim()) ?? Object.keys(widths)
  const cellOf = (record: Shown, name: string) => sanitizeLine(String(record[name as keyof Shown] ?? ''))
  const cellsOf = (record: Shown) => names.map(name => cellOf(record, name))
  if (flags.quiet)
    // An id alone would hide that the signature is wrong.
    return record => (record.verdict === 'valid' ? cellOf(record, 'event_id') : undefined)
  if (flags.format === 'csv') {
    const csvLines = await csvPrinter()
    return record => csvLines([cellsOf(record)]).slice(0, -1)
  }
  const isAligned = process.stdout.isTTY && (flags.format === undefined || flags.format === 'table')
  if (!isAligned) return record => cellsOf(record).join('\t')
  return record =>
    names
      .map(name => cellOf(record, name).padEnd(widths[name] ?? 0))
      .join('  ')
      .trimEnd()
}

const {O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK = 0} = constants

export type LineOutputs = ReturnType<typeof openLineOutputs>

/**
 * Opens standard output, and the file of --capture if there is one, for lines. If lines are lost, `warn` is called, for
 * standard output with the text `dropped`. Throws a usage error if the file cannot be written.
 */
export function openLineOutputs(path: string | undefined, dropped: string, warn: (text: string) => void) {
  const stdout = createLineWriter((error: NodeJS.ErrnoException | undefined) => {
    // A closed reader ends the command without a message (see streams.ts).
    if (error?.code !== 'EPIPE') warn(dropped)
  })
  const file = path === undefined ? undefined : openCapture(path, warn)
  return {
    stdout,
    capture: file?.writer,
    /** Resolves when all lines are written, or after `milliseconds`. */
    async end(milliseconds: number): Promise<void> {
      await Promise.all([stdout.drain(milliseconds), file?.writer.drain(milliseconds)])
      file?.close()
    },
  }
}

/**
 * Opens the file of --capture. A new file gets mode 0600, because the bodies contain personal data. Throws a usage
 * error if the file cannot be written.
 */
function openCapture(path: string, tell: (text: string) => void) {
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0o600)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    const hint = 'make its directory writable, or choose another file'
    throw usage('cannot_write', `--capture: cannot write ${sanitizeLine(path, 200)} (${code})`, hint)
  }
  // Refuses a pipe, because a write to a full pipe blocks and no signal could end it. Devices such as /dev/null never
  // block.
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

export const REASONS: Readonly<Record<Receipt['reason'], string>> = {
  ok: '',
  missing_header: 'no signature',
  malformed_header: 'malformed signature',
  signature_mismatch: 'wrong signature',
  timestamp_outside_tolerance: 'signed at a wrong time',
  event_id_mismatch: 'wrong event id',
}

export interface Row {
  /** In Unix seconds. */
  readonly time: number
  readonly isGood: boolean
  readonly body: Uint8Array
  readonly text: string
  readonly notes?: readonly string[]
}

/** Widths of the longest event type and reservation reference in the interface. */
const TYPE_WIDTH = 21
const REFERENCE_WIDTH = 14

/**
 * Formats a request for a person: time, mark, type, reservation and outcome on one line, and the notes below it. The
 * event with the id `testId` is marked as a test.
 */
export function rowLines({time, isGood, body, text: words, notes = []}: Row, testId?: string): string[] {
  const {columns, paint} = terminalOf(process.stdout)
  const marks = marksFor(process.env)
  const mark = isGood ? marks.good : marks.bad
  const clock = new Date(time * 1000).toTimeString().slice(0, 8)
  const start = `${clock}  ${mark.padEnd(Math.max(marks.good.length, marks.bad.length))}  `
  // Type and reference are read from the body, even if its signature is wrong.
  const event = parseBody(body)
  const {id, type, data} = isObject(event) ? event : {}
  const text = (value: unknown) => (typeof value === 'string' ? sanitizeLine(value, 60) : '')
  const eventId = text(id)
  const eventType = text(type) || (eventId ? '(no type)' : '(no event)')
  const reference = isObject(data) ? text(data.reservation_ref) : ''
  const remarks = [eventId && eventId === testId && 'test event', words].filter(Boolean).join(', ')
  const lead = `${start}${eventType.padEnd(TYPE_WIDTH)}  ${reference.padEnd(REFERENCE_WIDTH)}  `
  const withId = `${lead}${remarks}  ${eventId}`
  const [first = '', ...rest] =
    textWidth(withId) <= columns ? [withId] : hang(lead + remarks, columns, start.length, lead.length)
  const painted = `${paint('faint', clock)}  ${paint(isGood ? 'good' : 'bad', mark)}`
  const indented = notes.map(note => ' '.repeat(start.length) + note)
  const below = indented.flatMap(note => hang(note, columns, start.length))
  return [painted + first.slice(clock.length + 2 + mark.length), ...rest, ...below]
}

/** Returns the notes for the causes of a failure: each explanation, followed by its fix. */
export function findingNotes(findings: readonly Finding[]): string[] {
  return findings.flatMap(({code, explanation, fix}) => {
    const notes = [sanitizeLine(explanation)]
    if (code !== 'unexplained') notes.push(sanitizeLine(`Fix: ${fix}`))
    return notes
  })
}
