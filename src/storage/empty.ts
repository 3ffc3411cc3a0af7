/** The database that is not there: who only reads finds nothing in it, and no file is made for that. */
import type {Database} from './database.js'
import {hasDatabaseFile} from './database-file.js'

/** Answers every query with no rows; a statement that would change something is a mistake of the program. */
export const EMPTY_DATABASE: Database = {
  all: () => [],
  get: () => undefined,
  run: refuse,
  transaction: refuse,
  erase: refuse,
  close() {},
}

/** What `open` opens when a file of a database lies at `path`, and else the empty database. */
export function openIfAny(path: string, open: () => Database): Database {
  return hasDatabaseFile(path) ? open() : EMPTY_DATABASE
}

function refuse(): never {
  throw new TypeError('nothing can be written to a database that is not there')
}
