/**
 * Finds the local sandboxes that are running on this machine. Each has a record, which is a file in the configuration
 * directory.
 */
import {readdirSync, readFileSync, rmSync} from 'node:fs'
import {connect} from 'node:net'
import {join} from 'node:path'
import {parseBaseUrl} from '../../contract/network.js'
import {SANDBOX_NAME, SANDBOX_NOTE_NAME} from '../../state/file-names.js'
import {StorageError} from '../../storage/errors.js'
import {ensurePrivateDirectory, requireOwnFile, writeWholeFile} from '../../storage/files.js'
import {isRunning} from '../../storage/temporary.js'

export interface SandboxRecord {
  readonly base_url: string
  readonly origin: string
  readonly pid: number
  /** The path of the database, or `:memory:`. */
  readonly database: string
  /** RFC 3339. */
  readonly started_at: string
}

/** The port of a sandbox with a new database. Later starts use the last port of the database again. */
export const FIRST_SANDBOX_PORT = 4010

const MOST_RECORD_BYTES = 64 * 1024

/**
 * Returns the records of running sandboxes, newest first. Throws a StorageError if a record does not belong to this
 * user or is not a regular file.
 */
export function runningSandboxes(directory: string): SandboxRecord[] {
  return recordPaths(directory)
    .flatMap(path => readRecord(path) ?? [])
    .sort((a, b) => b.started_at.localeCompare(a.started_at))
}

/**
 * Returns the running sandboxes that accept connections. After a sandbox was killed, another process may get its
 * process id.
 */
export async function listeningSandboxes(directory: string): Promise<SandboxRecord[]> {
  const found = runningSandboxes(directory)
  const listens = await Promise.all(
    found.map(({origin}) => {
      const {hostname, port} = new URL(origin)
      const socket = connect({host: hostname, port: Number(port)})
      return new Promise<boolean>(resolve => {
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      }).finally(() => socket.destroy())
    }),
  )
  return found.filter((_, n) => listens[n])
}

/**
 * Writes a record, and removes records of processes that no longer run. Returns its path, or undefined if the directory
 * is not writable.
 */
export async function writeRecord(directory: string, record: SandboxRecord): Promise<string | undefined> {
  const usual = join(directory, SANDBOX_NOTE_NAME)
  // The usual name may be taken: if the database file of a running sandbox was removed, a second sandbox can run on a
  // new file.
  const isUsual = record.database === join(directory, SANDBOX_NAME) && readRecord(usual) === undefined
  const path = isUsual ? usual : join(directory, `sandbox-running-${record.pid}.json`)
  requireOwnFile(path)
  try {
    ensurePrivateDirectory(directory)
    const left = recordPaths(directory).filter(each => readRecord(each) === undefined)
    for (const each of left) rmSync(each, {force: true})
    await writeWholeFile(path, [Buffer.from(`${JSON.stringify(record)}\n`)], {existing: 'replace'})
    return path
  } catch (error) {
    if (error instanceof StorageError) return undefined
    throw error
  }
}

function recordPaths(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter(name => /^sandbox-running(-\d+)?\.json$/.test(name))
    return names.map(name => join(directory, name))
  } catch {
    return []
  }
}

/** Reads a record. Returns undefined if its process is not running or the record is invalid. */
function readRecord(path: string): SandboxRecord | undefined {
  const stats = requireOwnFile(path)
  if (stats === undefined || stats.size > MOST_RECORD_BYTES) return undefined
  try {
    const {base_url, pid, database = '', started_at = ''} = JSON.parse(readFileSync(path, 'utf8'))
    const {isLoopback, baseUrl} = parseBaseUrl(base_url)
    if (!isLoopback || !Number.isInteger(pid) || pid < 1 || !isRunning(pid)) return undefined
    return {base_url: baseUrl, origin: new URL(baseUrl).origin, pid, database, started_at}
  } catch {
    return undefined
  }
}
