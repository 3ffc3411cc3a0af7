/** Copies a database while other processes write to it. */
import {closeSync, constants, fsyncSync, openSync, renameSync, rmSync} from 'node:fs'
import {dirname} from 'node:path'
import type {Database} from './database.js'
import {isSound, openReadOnly, requireOurs, sizeOf} from './database-file.js'
import {damaged, storageErrorOf} from './errors.js'
import {flushDirectory, putInPlace, requireRegularFile} from './files.js'
import {sweepTemporaryFiles, temporaryPath} from './temporary.js'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/**
 * Copies `database` to `path`, checks the whole copy (integrity_check), flushes it to the disk, and returns its size in
 * bytes. An existing file is replaced, or is an error (`create`). Throws a StorageError if that fails; `path` is then
 * unchanged.
 */
export function backUp(database: Database, path: string, existing: 'replace' | 'create'): number {
  const directory = dirname(path)
  sweepTemporaryFiles(directory)
  const temporary = temporaryPath(directory)
  try {
    if (existing === 'replace') requireRegularFile(path, 'choose another file; it was not changed')
    // SQLite accepts an empty file as the target of its copy, and keeps the permissions of that file.
    closeSync(openSync(temporary, NEW_FILE, 0o600))
    database.copyTo(temporary)
    requireWhole(temporary)
    // SQLite does not flush a copy.
    const file = openSync(temporary, constants.O_RDONLY)
    fsyncSync(file)
    closeSync(file)
    const bytes = sizeOf(temporary)
    if (existing === 'replace') renameSync(temporary, path)
    else putInPlace(temporary, path)
    flushDirectory(directory)
    return bytes
  } catch (error) {
    throw storageErrorOf(error, path)
  } finally {
    rmSync(temporary, {force: true})
  }
}

function requireWhole(path: string): void {
  const connection = openReadOnly(path, 0)
  try {
    if (!isSound(connection, {whole: true})) throw damaged(path)
  } finally {
    connection.close()
  }
}

/**
 * Reports whether the file `path` is a database with the tables that `migrations` create, or those of an earlier
 * version.
 */
export function isCopyOf(path: string, migrations: readonly string[]): boolean {
  try {
    requireRegularFile(path)
    const connection = openReadOnly(path, 0)
    try {
      return requireOurs(connection, migrations, path) > 0
    } finally {
      connection.close()
    }
  } catch {
    return false
  }
}
