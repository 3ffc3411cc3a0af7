/** A directory for each test, and the databases in it. */
import * as fs from 'node:fs'
import {join} from 'node:path'
import {beforeEach} from 'vitest'
import {type Database, type DatabaseOptions, openDatabase} from '../../src/storage/database.js'
import {StorageError} from '../../src/storage/errors.js'
import {ownDirectory} from '../support/own.js'

export const ONE = ['CREATE TABLE words (word TEXT)']

/** Creates the directory before each test and removes it after; call it at the top level of a test file. */
export function databasesForEachTest() {
  let directory = ''
  beforeEach(() => {
    directory = ownDirectory()
  })
  const at = (...names: string[]) => join(directory, ...names)
  const open = (path = at('x.db'), options: Partial<DatabaseOptions> = {}): Database =>
    openDatabase(path, {migrations: ONE, ...options})
  return {at, open}
}

/** Returns the fault of the StorageError that `work` throws; `none` if it throws nothing. */
export function faultOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error instanceof StorageError ? error.fault : error
  }
  return 'none'
}

export function modeOf(path: string): string {
  return (fs.statSync(path).mode & 0o777).toString(8)
}
