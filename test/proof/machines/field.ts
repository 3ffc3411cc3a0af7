/** Many machines: homes that share one PostgreSQL and reach the service through one wire, and a way to cut them off. */
import {connect, createServer, type Socket} from 'node:net'
import {findPostgres, type PostgresServer, startPostgres} from '../../support/postgres.js'
import {startSandbox} from '../../support/sandbox.js'
import {Wire} from '../../support/wire.js'
import {CREDENTIALS, Home, Side} from '../shared/scene.js'

const found = await findPostgres()
/** Why there is no PostgreSQL here. */
export const missing = 'missing' in found ? found.missing : undefined

export interface Field {
  readonly side: Side
  readonly wire: Wire
  /** The shared store. */
  readonly url: string
  /** A new machine, which reaches the store at `url`. */
  machine(url?: string): Home
  machines(count: number): [Home, ...Home[]]
  sql: (text: string, values?: readonly unknown[]) => Promise<object[]>
}

let databases = 0

/** A database, a sandbox and a wire of their own, and the machines that are made. */
export async function withField<T>(server: PostgresServer, work: (field: Field) => Promise<T>): Promise<T> {
  const database = `field_${++databases}`
  const url = await server.url(database)
  const sandbox = await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true})
  const wire = await Wire.start({upstream: sandbox.origin})
  const homes: Home[] = []
  const machine = (store = url) => {
    const env = {...CREDENTIALS, BOOKCTL_STORE: store, BOOKCTL_BASE_URL: `${wire.origin}/partner-api/v1`}
    const home = new Home(env)
    homes.push(home)
    return home
  }
  try {
    return await work({
      side: new Side(sandbox.origin),
      wire,
      url,
      machine,
      machines: count => Array.from({length: count}, () => machine()) as [Home, ...Home[]],
      sql: (text, values = []) => server.sql(text, values, database),
    })
  } finally {
    await wire.close()
    await sandbox.close()
    for (const home of homes) home.remove()
  }
}

export interface Cutter {
  /** The same store, by way of it. */
  readonly url: string
  /** From now on nothing comes through: connections are refused, or (`frozen`) stay open and silent. */
  cut(how: 'refused' | 'frozen'): void
  close(): Promise<void>
}

/** Between a machine and its store. */
export async function startCutter(url: string): Promise<Cutter> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let state: 'open' | 'refused' | 'frozen' = 'open'
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (state === 'refused') return void socket.resetAndDestroy()
    if (state === 'frozen') return void socket.pause()
    const inner = connect(Number(target.port), target.hostname).on('error', () => socket.destroy())
    sockets.add(inner)
    socket.on('close', () => inner.destroy())
    inner.on('close', () => state !== 'frozen' && socket.destroy())
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as {port: number}
  const through = new URL(url)
  through.port = String(port)
  return {
    url: through.href,
    cut(how) {
      state = how
      for (const socket of sockets) {
        socket.unpipe()
        if (how === 'frozen') socket.pause()
        else socket.resetAndDestroy()
      }
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export const openServer = async (): Promise<{server: PostgresServer; close(): Promise<void>}> => {
  const server = await startPostgres({max_connections: '200'})
  return {server, close: () => server.close()}
}
