/** What must be true of a home whatever was killed in it. */
import {copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {openState, type State} from '../../src/state/state.js'
import {openSqlite} from '../../src/storage/sqlite.js'
import type {Home} from '../support/bookctl.js'

/** Every database under `directory`, as it lies there, can be read and is whole. Looks at copies, so that nothing is mended. */
export function checkDatabases(directory: string): string[] {
  if (!existsSync(directory)) return []
  const copies = mkdtempSync(join(tmpdir(), 'bookctl-kill-'))
  try {
    const names = readdirSync(directory).filter(name => name.endsWith('.db'))
    return names.flatMap(name => {
      // The index of the log is made anew when its makers are gone.
      for (const side of ['', '-wal', '-journal'])
        if (existsSync(join(directory, name + side)))
          copyFileSync(join(directory, name + side), join(copies, name + side))
      return checkDatabase(join(copies, name)).map(problem => `${name}: ${problem}`)
    })
  } finally {
    rmSync(copies, {recursive: true, force: true})
  }
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

/** Looks into the state of a home, and closes it. */
export async function withState<T>(
  {configDirectory}: Home,
  look: (state: State) => T | Promise<T>,
): Promise<T> {
  const state = openState(configDirectory)
  try {
    return await look(state)
  } finally {
    state.close()
  }
}
