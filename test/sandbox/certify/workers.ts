/**
 * A simulated program with several workers, and what the sandbox sees of it. Time is virtual. Requests and answers take their time
 * on the way, and the sandbox reads one request after the other.
 */
import {setImmediate as settled} from 'node:timers/promises'
import {type Draw, drawFrom} from '../../../src/sandbox/catalogue/draw.js'
import type {SeenRequest} from '../../../src/sandbox/certify/evidence.js'

export interface Program {
  readonly workers: number
  /** Calls of each worker, one after the other. */
  readonly calls: number
  /**
   * Who asks for a token when there is none: each worker that needs it, one for all, each worker for its own (as processes do), or,
   * which is wrong, each worker for every call.
   */
  readonly asks: 'each worker' | 'one for all' | 'each process' | 'every call'
  /** Whether each request has a connection of its own; otherwise each worker keeps one. */
  readonly isFresh: boolean
  /** The longest time of a request, or an answer, on the way; of a worker until it runs; and of the sandbox for a request. */
  readonly wayMilliseconds: number
  readonly pauseMilliseconds: number
  readonly serveMilliseconds: number
  /** When all tokens expire, in milliseconds after the start. */
  readonly expiries: readonly number[]
  readonly seed: number
}

interface Cache {
  token: string | undefined
  asking: Promise<string> | undefined
}

const START = 1_900_000_000

/** Runs the program to its end, and returns the requests in the order of their arrival. */
export async function simulate(program: Program): Promise<SeenRequest[]> {
  const {workers, calls, asks, isFresh, wayMilliseconds, pauseMilliseconds, expiries, seed} = program
  const draw = drawFrom(`workers ${seed}`)
  const time = new VirtualTime()
  const seen: SeenRequest[] = []
  const issuedAt = new Map<string, number>()
  let freeAt = 0

  const way = () => time.sleep(upTo(draw, wayMilliseconds))
  const shared: Cache = {token: undefined, asking: undefined}

  /** Sends a request, and returns what was issued, or whether the token was refused. */
  async function exchange(worker: Worker, operation: string, token: string | null) {
    if (isFresh || worker.connection === undefined) {
      await way()
      worker.connection = time.now
      worker.isNew = true
      await way()
    }
    const {connection, isNew} = worker
    worker.isNew = false
    await way()
    const read = time.now
    const served = Math.max(read, freeAt)
    freeAt = served + 1 + upTo(draw, program.serveMilliseconds)
    // A connection is read when the requests before it were answered; one that is open is read at once.
    const begun = isNew ? served : read
    const issued = operation === 'token.create' ? `token-${issuedAt.size + 1}` : undefined
    const bornAt = issuedAt.get(token ?? '') ?? Number.POSITIVE_INFINITY
    if (issued !== undefined) issuedAt.set(issued, served)
    const isExpired = expiries.some(expiry => bornAt <= expiry && expiry <= served)
    seen.push(
      requestOf(
        {begun, ended: freeAt, connection, connected: isNew ? connection : begun, operation, token},
        {
          issued,
          isExpired,
        },
      ),
    )
    await time.sleep(freeAt - time.now)
    await way()
    await time.sleep(upTo(draw, pauseMilliseconds))
    return {issued: issued ?? '', isExpired}
  }

  async function ask(worker: Worker, cache: Cache): Promise<string> {
    const {issued} = await exchange(worker, 'token.create', null)
    cache.token = issued
    return issued
  }

  function tokenOf(worker: Worker, cache: Cache): Promise<string> {
    if (cache.token !== undefined && asks !== 'every call') return Promise.resolve(cache.token)
    if (asks !== 'one for all') return ask(worker, cache)
    cache.asking ??= ask(worker, cache).finally(() => {
      cache.asking = undefined
    })
    return cache.asking
  }

  async function work(number: number): Promise<void> {
    const worker: Worker = {connection: undefined, isNew: false}
    const cache = asks === 'each process' ? {token: undefined, asking: undefined} : shared
    // No two workers do the same at the very same time.
    await time.sleep(number / 1000)
    for (let n = 0; n < calls; n++) {
      for (let isDone = false; !isDone; ) {
        const token = await tokenOf(worker, cache)
        await time.sleep(upTo(draw, pauseMilliseconds))
        const {isExpired} = await exchange(worker, CALLS[(number + n) % CALLS.length] ?? '', token)
        isDone = !isExpired
        // A simple program trusts no token any more; a careful one only gives up the one that was refused.
        if (isExpired && (asks !== 'one for all' || cache.token === token)) cache.token = undefined
      }
    }
  }

  await time.run(Array.from({length: workers}, (_, number) => work(number)))
  seen.sort((a, b) => a.begun - b.begun)
  return seen.map((each, n) => ({...each, sequence: n + 1, requestId: `req_${n + 1}`}))
}

interface Worker {
  connection: number | undefined
  isNew: boolean
}

const CALLS = ['account.show', 'hotels.search', 'reservations.list']

/** Returns a whole number of milliseconds and a part of one, so that no two times are the same. */
const upTo = (draw: Draw, milliseconds: number) => draw(milliseconds * 1000 + 1) / 1000

function requestOf(
  sent: Pick<SeenRequest, 'begun' | 'ended' | 'connection' | 'connected' | 'operation' | 'token'>,
  {issued, isExpired}: {issued: string | undefined; isExpired: boolean},
): SeenRequest {
  return {
    ...sent,
    sequence: 0,
    requestId: '',
    clientId: 'cid_sandbox',
    at: START + sent.begun / 1000,
    moved: 0,
    status: isExpired ? 401 : 200,
    ending: 'answered',
    code: isExpired ? 'token_expired' : null,
    fault: null,
    retryAfter: null,
    content: `content of ${sent.operation}`,
    isProxied: false,
    facts: issued === undefined ? {} : {issued, scopes: 'account:read', askedScopes: 'account:read'},
  }
}

/** Time that passes only when everybody sleeps. */
class VirtualTime {
  now = 0
  readonly #sleepers: {readonly until: number; readonly wake: () => void}[] = []

  sleep(milliseconds: number): Promise<void> {
    return new Promise(wake => this.#sleepers.push({until: this.now + milliseconds, wake}))
  }

  /** Resolves when all work is done. */
  async run(work: readonly Promise<unknown>[]): Promise<void> {
    let isDone = false
    const done = Promise.all(work).then(() => {
      isDone = true
    })
    await settled()
    while (!isDone) {
      this.#sleepers.sort((a, b) => b.until - a.until)
      const next = this.#sleepers.pop()
      if (next === undefined) break
      this.now = next.until
      next.wake()
      await settled()
    }
    await done
  }
}
