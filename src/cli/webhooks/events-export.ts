/** `webhooks events export`: events received, as the records `listen --json` prints, to a file or stdout. */
import {once} from 'node:events'
import {createWriteStream} from 'node:fs'
import process from 'node:process'
import type {Writable} from 'node:stream'
import {finished} from 'node:stream/promises'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {EventFilter, EventStore} from '../../state/event-store.js'
import {jsonText} from '../output/json-text.js'
import {oldestEvents, recordOf} from './events.js'

/**
 * Writes the events that match, oldest first, one JSON line each, to a new file at `path` (`-`: stdout); returns how
 * many. Throws usage when the file is there already or cannot be written.
 */
export async function exportEvents(store: EventStore, filter: EventFilter, path: string): Promise<number> {
  if (path === '-') return writeRecords(store, filter, process.stdout)
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

async function writeRecords(store: EventStore, filter: EventFilter, stream: Writable): Promise<number> {
  let count = 0
  for (const event of oldestEvents(store, filter)) {
    count++
    if (!stream.write(`${jsonText(recordOf(event))}\n`)) await once(stream, 'drain')
  }
  return count
}
