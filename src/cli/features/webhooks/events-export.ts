/** `webhooks events export`: received events as the records of `listen --json`, a line each, or as the document of --json. */
import {once} from 'node:events'
import {lstatSync} from 'node:fs'
import {dirname, resolve} from 'node:path'
import process from 'node:process'
import type {Writable} from 'node:stream'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {EventFilter, EventStore} from '../../../state/event-store.js'
import {sweepTemporaryFiles} from '../../../storage/temporary.js'
import {checkWritable} from '../../input/files.js'
import {jsonText} from '../../terminal/json-text.js'
import type {OutputFlags} from '../../terminal/output.js'
import {oldestEvents, recordOf} from './events.js'

/** Throws usage for flags that would turn the capture into rows, or choose columns. */
export function checkExport({json, format, query, columns}: OutputFlags): {asDocument: boolean} {
  const isRows = format !== undefined && format !== 'ndjson' && format !== 'json'
  const refused = [
    isRows && `--format ${format}`,
    query !== undefined && '--query',
    columns !== undefined && '--columns',
  ]
  const flag = refused.find(Boolean)
  if (flag) {
    const hint = 'use webhooks events list for rows, or pipe the capture to jq'
    throw usage('invalid_input', `${flag} cannot be used with a capture on standard output`, hint)
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
 * Writes the events that match, oldest first, one JSON line each, to a new file at `path`, whole or not at all; returns
 * their number. Throws usage when the file exists or cannot be made, StorageError when it cannot be written.
 */
export async function exportEvents(store: EventStore, filter: EventFilter, path: string): Promise<number> {
  checkWritable('--file', path)
  const {writeWholePieces} = await import('../../../storage/files.js')
  if (lstatSync(path, {throwIfNoEntry: false})) {
    // A run killed after the file was in place may have left a temporary one beside it.
    sweepTemporaryFiles(dirname(resolve(path)))
    throw taken(path)
  }
  let count = 0
  function* lines() {
    for (const event of oldestEvents(store, filter)) {
      count++
      yield Buffer.from(`${jsonText(recordOf(event))}\n`)
    }
  }
  try {
    writeWholePieces(resolve(path), lines(), {existing: 'create'})
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(path)
    throw error
  }
  return count
}

function taken(path: string): Failure {
  return usage('cannot_write', `--file: ${sanitizeLine(path, 200)} exists already`)
}

/** Writes each record and a line feed; `between` separates them. */
async function writeRecords(
  store: EventStore,
  filter: EventFilter,
  stream: Writable,
  between = '',
): Promise<void> {
  let count = 0
  for (const event of oldestEvents(store, filter)) {
    const text = `${count === 0 ? '' : between}${jsonText(recordOf(event))}\n`
    count++
    if (!stream.write(text)) await once(stream, 'drain')
  }
}
