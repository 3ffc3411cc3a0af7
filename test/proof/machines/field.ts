/** Many machines: homes that share one PostgreSQL and reach the service through one wire, and a way to cut them off. */
import {connect, createServer, type Socket} from 'node:net'
import {findPostgres, type PostgresServer, startPostgres} from '../../support/postgres.js'
import {startSandbox} from '../../support/sandbox.js'
import {type Ground, withGround} from '../shared/crowd.js'
import {CREDENTIALS} from '../shared/scene.js'

const found = await findPostgres()
/** Why there is no PostgreSQL here. */
export const missing = 'missing' in found ? found.missing : undefined

export interface Field extends Ground {
  /** The shared store. */
  readonly url: string
  sql: (text: string, values?: readonly unknown[]) => Promise<object[]>
}

let databases = 0

/** A database, a sandbox and a wire of their own, and as many machines as processes, but ten at most. */
export async function withField<T>(
  server: PostgresServer,
  count: number,
  work: (field: Field) => Promise<T>,
): Promise<T> {
  const database = `field_${++databases}`
  const url = await server.url(database)
  const sandbox = await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true})
  const sql: Field['sql'] = (text, values = []) => server.sql(text, values, database)
  const options = {homes: Math.min(10, count), env: {...CREDENTIALS, BOOKCTL_STORE: url}}
  const run = (ground: Ground) => work({...ground, url, sql})
  return withGround(sandbox.origin, count, run, options).finally(sandbox.close)
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

export async function openServer() {
  const server = await startPostgres({max_connections: '200'})
  return {server, close: () => server.close()}
}
