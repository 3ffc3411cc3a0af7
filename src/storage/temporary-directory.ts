/** A directory for temporary files of one process. */
import {mkdirSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {StorageError, storageErrorOf} from './errors.js'
import {sweepTemporaryFiles, temporaryPath} from './temporary.js'

/** Once a process: what it made itself since then is in use. */
let isSwept = false

/** Makes it, 0700, and returns its path; those of killed processes are removed. Throws StorageError when it cannot. */
export function makeTemporaryDirectory(): string {
  try {
    if (!isSwept) sweepTemporaryFiles(tmpdir())
    isSwept = true
    const directory = temporaryPath(tmpdir())
    mkdirSync(directory, {mode: 0o700})
    return directory
  } catch (error) {
    const {fault, cause} = storageErrorOf(error, tmpdir())
    const hint = 'set TMPDIR to a directory that can be written and has room'
    throw new StorageError(fault, `cannot make a directory for temporary files in ${tmpdir()}`, hint, {cause})
  }
}
