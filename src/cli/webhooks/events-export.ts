/**
 * `webhooks events export`: events received, as the records `listen --json` prints, a line each, to a file or stdout; or
 * all of them as the one document that --json promises.
 */
import {once} from 'node:events'
import {createWriteStream} from 'node:fs'
import process from 'node:process'
import type {Writable} from 'node:stream'
import {finished} from 'node:stream/promises'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {EventFilter, EventStore} from '../../state/event-store.js'
import {jsonText} from '../output/json-text.js'
import type {OutputFlags} from '../output/output.js'
import {oldestEvents, recordOf} from './events.js'

/** A capture is what it is: throws usage for flags that would make rows of it, or choose among them. */
export function checkExport({json, format, query, columns}: OutputFlags): {asDocument: boolean} {
  const rows = format !== undefined && format !== 'ndjson' && format !== 'json'
  const flag = rows
    ? `--format ${format}`
    : query !== undefined
      ? '--query'
      : columns !== undefined && '--columns'
  if (flag) {
    const hint = 'webhooks events list prints rows; jq and verify read the capture'
    throw usage('invalid_input', `${flag} does not go with a capture on standard output`, hint)
  }
  return {asDocument: json === true || format === 'json'}
}

/** Writes the events that match to stdout, oldest first: a JSON line each, or one document with all of them. */
export async function printEvents(
  store: EventStore,
  filter: EventFilter,
  asDocument: boolean,
): Promise<void> {
  if (!asDocument) await writeRecords(store, filter, process.stdout)
  else {
    process.stdout.write('{"records": [\n')
    await writeRecords(store, filter, process.stdout, ',\n')
    process.stdout.write(']}\n')
  }
}

/**
 * Writes the events that match, oldest first, one JSON line each, to a new file at `path`; returns how many. Throws usage
 * when the file is there already or cannot be written.
 */
export async function exportEvents(store: EventStore, filter: EventFilter, path: string): Promise<number> {
  const file = createWriteStream(path, {flags: 'wx', mode: 0o600})
  try {
    await once(file, 'open')
    const count = await writeRecords(store, filter, file)
    file.end()
    await finished(file)
    return count
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error
    const problem = code === 'EEXIST' ? 'is there already' : `cannot be written (${code})`
    throw usage('cannot_write', `--file: ${sanitizeLine(path, 200)} ${problem}`)
  }
}

/** Writes each record and a line feed; `between` stands before each but the first. */
async function writeRecords(
  store: EventStore,
  filter: EventFilter,
  stream: Writable,
  between = '',
): Promise<number> {
  let count = 0
  for (const event of oldestEvents(store, filter)) {
    const text = `${count === 0 ? '' : between}${jsonText(recordOf(event))}\n`
    count++
    if (!stream.write(text)) await once(stream, 'drain')
  }
  return count
}
