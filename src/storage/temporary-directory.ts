/** A directory for temporary files of one process. */
import {mkdtempSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {StorageError, storageErrorOf} from './errors.js'

/** Makes it, 0700, with a name that begins with `prefix`, and returns its path. Throws StorageError when it cannot. */
export function makeTemporaryDirectory(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (error) {
    const {fault, cause} = storageErrorOf(error, tmpdir())
    const hint = 'set TMPDIR to a directory that can be written and has room'
    throw new StorageError(fault, `cannot make a directory for temporary files in ${tmpdir()}`, hint, {cause})
  }
}
