/** `webhooks events export`: received events as the records of `listen --json`, a line each, or as the document of --json. */
import {once} from 'node:events'
import {resolve} from 'node:path'
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import type {EventFilter, EventStore} from '../../../contract/stored-events.js'
import {checkNewFile} from '../../input/files.js'
import {jsonText} from '../../terminal/json-text.js'
import type {OutputFlags} from '../../terminal/output.js'
import {oldestPages, recordOf} from './events.js'

/**
 * Writes the events that match to stdout, oldest first: a JSON line each, or one document with all of them. Throws usage
 * for flags that would turn the capture into rows, or choose columns.
 */
export async function printEvents(store: EventStore, filter: EventFilter, flags: OutputFlags): Promise<void> {
  const {json, format, query, columns} = flags
  const refused = [
    format !== undefined && !['ndjson', 'json'].includes(format) && `--format ${format}`,
    query !== undefined && '--query',
    columns !== undefined && '--columns',
  ]
  const flag = refused.find(Boolean)
  if (flag) {
    const hint = 'use webhooks events list for rows, or pipe the capture to jq'
    throw usage('invalid_input', `${flag} cannot be used with a capture on standard output`, hint)
  }
  const asDocument = json || format === 'json'
  if (asDocument) process.stdout.write('{"records": [\n')
  let between = ''
  for await (const page of oldestPages(store, filter))
    for (const event of page) {
      if (!process.stdout.write(`${between}${jsonText(recordOf(event))}\n`))
        await once(process.stdout, 'drain')
      if (asDocument) between = ',\n'
    }
  if (asDocument) process.stdout.write(']}\n')
}

/** Writes a new file, whole or not at all; returns the number of events. Throws usage, StorageError. */
export async function exportEvents(store: EventStore, filter: EventFilter, path: string): Promise<number> {
  const {writeWholePieces} = await import('../../../storage/files.js')
  let count = 0
  async function* lines() {
    for await (const page of oldestPages(store, filter)) {
      count += page.length
      for (const event of page) yield Buffer.from(`${jsonText(recordOf(event))}\n`)
    }
  }
  try {
    await writeWholePieces(resolve(path), lines(), {existing: 'create'})
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') checkNewFile('--file', path)
    throw error
  }
  return count
}
