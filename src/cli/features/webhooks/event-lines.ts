/** Lines and files in which `webhooks listen` writes requests: cells, the result of --query, and the file of --capture. */
import {appendFile, closeSync, constants, fstatSync, openSync} from 'node:fs'
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {CaptureRecord} from '../../../webhooks/captures/records.js'
import {jsonText} from '../../terminal/json-text.js'
import {createLineWriter} from '../../terminal/line-writer.js'
import {csvPrinter, type OutputFlags} from '../../terminal/output.js'
import {finderOf} from '../../terminal/query.js'

export type LineOf = (record: CaptureRecord) => string | undefined

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

/**
 * Returns a function that formats a request as a line: the result of --query, or cells, aligned at a terminal and separated by
 * tabs or commas in a pipe.
 */
export async function lineOf(flags: OutputFlags): Promise<LineOf> {
  if (flags.query !== undefined) {
    const find = await finderOf(flags.query)
    return record => {
      const found = find({...record, headers: {...record.headers}})
      if (found === null || found === undefined) return undefined
      return typeof found === 'string' ? sanitizeLine(found) : jsonText(found)
    }
  }
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

const {O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK = 0} = constants

/**
 * Opens the file of --capture, created with mode 0600 because bodies contain personal data. Throws a usage error if it cannot be
 * written.
 */
export function openCapture(path: string, tell: (text: string) => void) {
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0o600)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    const hint = 'make its directory writable, or choose another file'
    throw usage('cannot_write', `--capture: cannot write ${sanitizeLine(path, 200)} (${code})`, hint)
  }
  // A pipe is refused, because a write to a full one would block and no signal could end that. A device such as /dev/null does
  // not block.
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
