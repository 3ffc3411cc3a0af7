/** What must be true of a home whatever was killed in it. */
import {cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {openState, type State} from '../../src/state/state.js'
import {openSqlite} from '../../src/storage/sqlite.js'
import type {Home} from '../support/bookctl.js'

/**
 * Every database in the home, as it lies there, can be read and is whole. Looks at copies, as all of this file does: what is
 * looked at is not mended by that, and this process never has a file of the home open, whose locks it would take away.
 */
export function checkDatabases(home: Home): string[] {
  return inCopy(home, copy => {
    const names = readdirSync(copy).filter(name => name.endsWith('.db'))
    return names.flatMap(name => checkDatabase(join(copy, name)).map(problem => `${name}: ${problem}`))
  })
}

function checkDatabase(path: string): string[] {
  try {
    const connection = openSqlite(path, {timeout: 0})
    try {
      const rows = connection.prepare('PRAGMA integrity_check').all() as {integrity_check: string}[]
      return rows.map(row => row.integrity_check).filter(text => text !== 'ok')
    } finally {
      connection.close()
    }
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Nothing that was only there for a moment is there for ever. */
export function checkNoTemporaryFiles({directory}: Home): string[] {
  const names = readdirSync(directory, {recursive: true}).map(String)
  return names.filter(name => name.endsWith('.tmp')).map(name => `left ${name}`)
}

/** No file of the home, whatever it is, holds one of `texts`; `allowed` are names of those that may. */
export function checkNoBytes({directory}: Home, texts: readonly string[], allowed = /^$/): string[] {
  return filesOf(directory)
    .filter(({name}) => !allowed.test(name))
    .flatMap(({name, path}) => {
      const bytes = readFileSync(path)
      return texts.filter(text => bytes.includes(text)).map(text => `${name} holds ${text}`)
    })
}

function filesOf(directory: string): {name: string; path: string}[] {
  return readdirSync(directory, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile() && !entry.parentPath.includes('.cache'))
    .map(entry => ({name: entry.name, path: join(entry.parentPath, entry.name)}))
}

/** Looks into the state of a home. */
export function withState<T>(home: Home, look: (state: State) => T | Promise<T>): Promise<T> {
  return inCopy(home, async copy => {
    const state = openState(copy)
    try {
      return await look(state)
    } finally {
      state.close()
    }
  })
}

/** Changes the state of a home in which nothing runs. */
export function changeState(home: Home, change: (state: State) => unknown): Promise<void> {
  return inCopy(home, async copy => {
    const state = openState(copy)
    await change(state)
    state.close()
    cpSync(copy, home.configDirectory, {recursive: true, filter: path => !path.endsWith('-shm')})
  })
}

/** Does `work` in a copy of the configuration directory. The index of a log is left out, as after a crash of the system. */
function inCopy<T>({configDirectory}: Home, work: (directory: string) => T): T {
  const copy = mkdtempSync(join(tmpdir(), 'bookctl-kill-'))
  const remove = () => rmSync(copy, {recursive: true, force: true})
  if (existsSync(configDirectory))
    cpSync(configDirectory, copy, {recursive: true, filter: path => !path.endsWith('-shm')})
  let result: T
  try {
    result = work(copy)
  } catch (error) {
    remove()
    throw error
  }
  if (result instanceof Promise) return result.finally(remove) as T
  remove()
  return result
}
