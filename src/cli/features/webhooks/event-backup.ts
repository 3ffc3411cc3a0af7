/** Implements `webhooks events backup`: makes a consistent copy of events.db, even while events are being received. */
import {realpathSync} from 'node:fs'
import {basename, dirname, join, resolve} from 'node:path'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {EVENTS_NAME, FILE_NAMES} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {SIDE_FILES} from '../../../storage/database-file.js'
import {invalid} from '../../input/checks.js'
import {checkWritable, requireNewFile} from '../../input/files.js'
import {single} from '../../terminal/result.js'

/**
 * Writes the backup to `file` and returns its description. With `force`, replaces an earlier backup or an empty file,
 * but nothing else. Throws a usage error if the events are in a shared store, if there are none, or if `file` exists
 * and may not be replaced, and StorageError.
 */
export async function backUpEvents(state: State, file: string, force: boolean) {
  if (state.isShared) {
    const hint =
      'back up its schema with PostgreSQL: pg_dump --schema=bookctl --format=custom --file=FILE "$BOOKCTL_STORE"'
    throw usage('events_shared', 'the events are in the shared store, not on this machine', hint)
  }
  if (file === '-') throw invalid('FILE', 'must be a file: a copy is not written to standard output')
  const path = resolve(checkWritable('FILE', file))
  if (isOwnFile(path, state.directory))
    throw usage(
      'invalid_input',
      'FILE: is the name of a file that the configuration directory needs',
      'name another file',
    )
  if (!force) requireNewFile(path, 'name another file, or add --force to replace it', 'FILE')
  if (!(await state.isReplaceableBackup(path))) {
    const what = `FILE: ${sanitizeLine(path, 200)} exists already, and is not a backup of events`
    throw usage('file_exists', what, 'name another file; it was not changed')
  }
  const copied = await state.backUpEvents(path, force ? 'replace' : 'create')
  if (copied === undefined)
    throw new Failure('usage', 'there are no events on this machine to back up', {
      code: 'no_events',
      hint: `they are stored in ${sanitizeLine(join(state.directory, EVENTS_NAME), 200)} while webhooks listen runs`,
    })
  const document = {file, ...copied, integrity: 'ok'}
  return single(document, document, file)
}

/** Reports whether `path` names a file that this program uses, or may use, in the configuration directory. */
function isOwnFile(path: string, directory: string): boolean {
  const isInDirectory = realOf(dirname(path)) === realOf(directory)
  const names = FILE_NAMES.flatMap(name => ['', ...SIDE_FILES].map(suffix => name + suffix))
  return isInDirectory && names.includes(basename(path))
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
