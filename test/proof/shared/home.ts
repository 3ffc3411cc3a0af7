/** A sandbox, and a home that commands have filled, which is copied for each cell; and functions that inspect a home. */
import {execFileSync} from 'node:child_process'
import {copyFileSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {openSqlite} from '../../../src/storage/database-file.js'
import {type Finished, Home as HomeHere} from '../../support/bookctl.js'
import {startSandbox} from '../../support/sandbox.js'
import {type Home, Side} from './scene.js'

/** Opens a sandbox inside this process with the real clock. */
export const openSandbox = () => startSandbox({clock: () => Date.now() / 1000})

/**
 * Creates the bench. `fill` works in the home, inside this process; its result becomes part of the bench, together with the
 * configuration directory to copy.
 */
export async function openFilled<Filled extends object>(
  fill: (home: HomeHere, origin: string) => Promise<Filled>,
) {
  const sandbox = await openSandbox()
  const home = new HomeHere({BOOKCTL_BASE_URL: sandbox.baseUrl})
  const close = async () => {
    home.remove()
    await sandbox.close()
  }
  try {
    const filled = await fill(home, sandbox.origin)
    return {side: new Side(sandbox.origin), directory: home.configDirectory, ...filled, close}
  } catch (error) {
    await close()
    throw error
  }
}

/** Runs a command that must end with `exit`. */
export async function done(run: Promise<Finished>, exit = 0): Promise<Finished> {
  const finished = await run
  if (finished.exit !== exit) throw new Error(`it ended with ${finished.exit}: ${finished.stderr}`)
  return finished
}

/** Uses cp, because some versions of Node do not copy permissions. */
export const copyDirectory = (from: string, to: string) => void execFileSync('cp', ['-Rp', from, to])

/** Returns the temporary files that were left in a home. */
export function temporaryFiles({directory}: Home): string[] {
  const names = readdirSync(directory, {recursive: true}).map(String)
  return names.filter(name => name.endsWith('.tmp')).map(name => `left ${name}`)
}

/** The rows of every table, and the result of SQLite's integrity check. */
export interface Content {
  readonly integrity: string
  readonly tables: Readonly<Record<string, readonly string[]>>
}

/**
 * Reads a copy, because opening a database repairs it, and an open database here would disturb the next command. The index of the
 * log is left out, as after a crash of the system.
 */
export function contentOf(path: string): Content | undefined {
  if (!existsSync(path)) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-content-'))
  const copy = join(directory, 'copy.db')
  try {
    for (const side of ['', '-wal', '-journal'])
      if (lstatSync(path + side, {throwIfNoEntry: false})?.isFile()) copyFileSync(path + side, copy + side)
    const database = openSqlite(copy, {timeout: 0})
    const all = <T>(sql: string) => database.prepare(sql).all() as T[]
    const asText = (_: string, value: unknown) =>
      value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value
    const problems = all<{integrity_check: string}>('PRAGMA integrity_check')
    const names = all<{name: string}>("SELECT name FROM sqlite_master WHERE type = 'table'")
    const rowsOf = (name: string) => all(`SELECT * FROM "${name}"`).map(row => JSON.stringify(row, asText))
    const tables = Object.fromEntries(names.map(({name}) => [name, rowsOf(name).sort()]))
    database.close()
    return {integrity: problems.map(each => each.integrity_check).join(', '), tables}
  } catch (error) {
    return {integrity: (error as Error).message, tables: {}}
  } finally {
    rmSync(directory, {recursive: true, force: true})
  }
}

/** Returns the databases of a home that cannot be read or are damaged, except for `except`. */
export function checkDatabases({configDirectory}: Home, except?: string): string[] {
  if (!existsSync(configDirectory)) return []
  const names = readdirSync(configDirectory).filter(name => name.endsWith('.db') && name !== except)
  return names.flatMap(name => {
    const {integrity = 'ok'} = contentOf(join(configDirectory, name)) ?? {}
    return integrity === 'ok' ? [] : [`${name}: ${integrity}`]
  })
}

/** Reports whether the bytes are a complete PDF. */
export const isPdf = (bytes: Buffer) =>
  bytes.subarray(0, 5).equals(Buffer.from('%PDF-')) && bytes.toString('latin1').trimEnd().endsWith('%%EOF')
