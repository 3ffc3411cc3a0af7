/** `webhooks events backup`: a copy of events.db that is whole, made while events are received. */
import {realpathSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {EVENTS_NAME} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {checkWritable, requireNewFile} from '../../input/files.js'
import {single} from '../../terminal/result.js'

/**
 * Writes the backup to `file` and describes it. Throws a usage error if the events are in a shared store, if there are none, or
 * if `file` exists and `force` is not set, and a StorageError.
 */
export async function backUpEvents(state: State, file: string, force: boolean) {
  if (state.isShared) {
    const hint =
      'back up its schema with PostgreSQL: pg_dump --schema=bookctl --format=custom --file=FILE "$BOOKCTL_STORE"'
    throw usage('events_shared', 'the events are in the shared store, not on this machine', hint)
  }
  const path = resolve(checkWritable('FILE', file))
  if (!force) requireNewFile(path, 'name another file, or add --force to replace it', 'FILE')
  if (isSame(path, join(state.directory, EVENTS_NAME)))
    throw usage('invalid_input', 'FILE: is the file of the events itself', 'name another file')
  const copied = await state.backUpEvents(path, force ? 'replace' : 'create')
  if (copied === undefined)
    throw new Failure('usage', 'there are no events on this machine to back up', {
      code: 'no_events',
      hint: `they are stored in ${sanitizeLine(join(state.directory, EVENTS_NAME), 200)} while webhooks listen runs`,
    })
  const document = {file, ...copied, integrity: 'ok'}
  return single(document, document, file)
}

function isSame(path: string, other: string): boolean {
  try {
    return realpathSync(path) === realpathSync(other)
  } catch {
    return false
  }
}
