/** The local sandbox: the whole service as one `Request → Response`, with its state in SQLite. */
import {setMaxListeners} from 'node:events'
import {WEBHOOK_RESPONSE_SECONDS} from '../contract/limits.js'
import {type Database, openDatabase} from '../storage/database.js'
import type {FileOwner} from '../storage/database-file.js'
import {StorageError} from '../storage/errors.js'
import {createApp} from './app.js'
import type {Service} from './base/service.js'
import {prepareState} from './controls/controls.js'
import {type Resolve, systemResolve} from './delivery/addresses.js'
import {Dispatcher} from './delivery/dispatcher.js'
import {createTrust} from './delivery/trust.js'
import {Faults} from './http/faults.js'
import type {AnsweredRequest, RunningService} from './http/requests.js'
import {MIGRATIONS, readMeta, writeMeta} from './store/schema.js'

export interface SandboxOptions {
  /** Path of the SQLite file, or `:memory:`. */
  readonly database: string
  /** See storage/database-file.ts (default `users`). */
  readonly databaseOwner?: FileOwner
  /** Real time in Unix seconds. */
  readonly clock?: () => number
  /** Number of offers each search finds, to test what reads long answers (default: those of the city's own hotels). */
  readonly offers?: number | undefined
  readonly latencyMilliseconds?: number
  readonly allowHttpLoopback?: boolean
  /** Certificate authority that deliveries trust beside the system's; the file may appear later. */
  readonly caFile?: string
  readonly resolve?: Resolve
  /** Time a subscriber has to answer, in milliseconds (default: §6.4's). */
  readonly subscriberMilliseconds?: number
  /** Called for each answer, or cut connection, of everything but the dashboard and the controls. */
  readonly onAnswered?: ((request: AnsweredRequest) => void) | undefined
}

export type Sandbox = ReturnType<typeof createSandbox>

/** Throws StorageError; `busy` when another sandbox has the file open. */
export function createSandbox(options: SandboxOptions) {
  const database = openExclusively(options.database, options.databaseOwner ?? 'users')
  const closing = new AbortController()
  // Every request and delivery that waits listens to it; Node warns of more than ten.
  setMaxListeners(0, closing.signal)
  let served: string | undefined
  const base: Service = {
    database,
    clock: createClock(database, options.clock ?? (() => Date.now() / 1000)),
    offers: options.offers,
    droppedReferences: new Set(),
    allowHttpLoopback: options.allowHttpLoopback ?? false,
    closing: closing.signal,
  }
  const posting = {
    resolve: options.resolve ?? systemResolve,
    trust: createTrust(options.caFile),
    allowHttpLoopback: base.allowHttpLoopback,
    limitMilliseconds: options.subscriberMilliseconds ?? WEBHOOK_RESPONSE_SECONDS * 1000,
    closing: closing.signal,
  }
  const dispatcher = new Dispatcher(base, posting, () => served)
  const service: RunningService = {
    ...base,
    dispatcher,
    faults: new Faults(),
    requests: [],
    runningKeys: new Map(),
    latencyMilliseconds: options.latencyMilliseconds ?? 0,
  }
  prepareState(service)
  const app = createApp(service, () => served, options.onAnswered)
  const lastPort = Number(readMeta(database, 'last_port')) || undefined
  return {
    /** The port it was served at before; undefined the first time. */
    lastPort,
    /** Rejects with ConnectionDrop where a connection would be cut. Before `listenAt` any loopback origin is accepted. */
    handle: async (request: Request): Promise<Response> => app.fetch(request),
    /** Sets the origin for links and for refusing other hosts. Only then events are sent: their links lead there. */
    listenAt: (origin: string) => {
      served = origin
      try {
        // Addresses that people keep stay valid after a restart.
        writeMeta(database, 'last_port', new URL(origin).port)
      } catch (error) {
        // A disk that is full is no reason not to serve.
        if (!(error instanceof StorageError)) throw error
      }
      dispatcher.wake()
    },
    close: () => {
      closing.abort()
      dispatcher.close()
      database.close()
    },
  }
}

function openExclusively(path: string, owner: FileOwner): Database {
  try {
    const database = openDatabase(path, {migrations: MIGRATIONS, busyTimeoutMilliseconds: 250, owner})
    // The lock is taken by the next write (prepareState) and never released while the file is open.
    database.get('PRAGMA locking_mode = EXCLUSIVE')
    // A log of a mebibyte instead of four: smaller on the disk, and a shorter pause when it is emptied.
    database.get('PRAGMA wal_autocheckpoint = 256')
    const isGivingBack = database.get<{auto_vacuum: number}>('PRAGMA auto_vacuum')?.auto_vacuum === 2
    if (path !== ':memory:' && !isGivingBack) {
      // Free pages are given back as they become free; a file that an earlier version made is rewritten once.
      database.run('PRAGMA auto_vacuum = INCREMENTAL')
      database.run('VACUUM')
    }
    return database
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault !== 'busy') throw error
    const hint = 'stop it, or choose another file: --db FILE'
    throw new StorageError('busy', `another local sandbox is using ${path}`, hint, {cause: error})
  }
}

/** The service's clock: `realTime` (Unix seconds) plus an offset that is stored and can only grow. */
function createClock(database: Database, realTime: () => number): Service['clock'] {
  const offset = () => Number(readMeta(database, 'clock_offset_seconds') ?? 0)
  return {
    now: () => realTime() + offset(),
    realNow: realTime,
    advance: seconds => writeMeta(database, 'clock_offset_seconds', String(offset() + seconds)),
  }
}
