/**
 * Judges the evidence in the sandbox's database argv[2]; prints how many milliseconds that took, with reading, and how many
 * requests there were. With a number as argv[3] it first fills the database with so many requests instead.
 */
import process from 'node:process'
import type {Facts, SeenRequest} from '../../../src/sandbox/certify/evidence.js'
import {judge} from '../../../src/sandbox/certify/judge.js'
import {MAIN_CLIENT} from '../../../src/sandbox/store/clients.js'
import {addRequests, attemptsOf, requestsOf} from '../../../src/sandbox/store/evidence.js'
import {MIGRATIONS} from '../../../src/sandbox/store/schema.js'
import {openDatabase} from '../../../src/storage/database.js'

/** As many as the sandbox writes together. */
const AT_ONCE = 100
/** The calls of a booking, in turn; after every hundredth comes a new token. */
const CALLS = [
  ['hotels.search', 200],
  ['hotels.price', 200],
  ['reservations.create', 201],
  ['reservations.show', 200],
  ['voucher.show', 409],
  ['voucher.download', 200],
  ['account.show', 429],
  ['reservations.list', 200],
  ['reservations.create', 503],
  ['reservations.create', 201],
] as const
const CODES: Readonly<Record<number, string>> = {
  409: 'reservation_not_confirmed',
  429: 'rate_limited',
  503: 'service_unavailable',
}

const [, , path = '', count] = process.argv
const database = openDatabase(path, {migrations: MIGRATIONS, owner: 'users', hasLog: true})
if (count === undefined) {
  const started = performance.now()
  const evidence = {
    requests: requestsOf(database, MAIN_CLIENT, 0),
    attempts: attemptsOf(database, MAIN_CLIENT, 0),
  }
  const sheet = judge(evidence, MAIN_CLIENT)
  process.stdout.write(JSON.stringify({milliseconds: performance.now() - started, requests: sheet.requests}))
} else {
  for (let first = 0; first < Number(count); first += AT_ONCE)
    addRequests(
      database,
      Array.from({length: AT_ONCE}, (_, n) => recorded(first + n)),
    )
}
database.close()

function recorded(n: number) {
  return {
    seen: seen(n),
    method: 'POST',
    path: `/partner-api/v1/reservations/RSV-${n}`,
  }
}

/** Returns the nth request. Each booking has ten, of which the last two are a lost one and its repeat. */
function seen(n: number): SeenRequest {
  const isToken = n % 1000 === 0
  const [operation, status] = isToken ? (['token.create', 200] as const) : (CALLS[n % 10] ?? CALLS[0])
  const code = CODES[status] ?? null
  const booking = Math.floor(n / 10)
  return {
    sequence: n + 1,
    requestId: `req_${String(n).padStart(24, '0')}`,
    clientId: MAIN_CLIENT,
    operation,
    at: 1_900_000_000 + n * 0.3,
    moved: 0,
    begun: n * 300,
    ended: n * 300 + 20,
    connection: 0,
    connected: n * 300,
    status,
    ending: 'answered',
    code,
    fault: null,
    retryAfter: null,
    token: isToken ? null : hash('token', Math.floor(n / 1000)),
    content: hash('content', n % 10 === 9 ? n - 1 : n),
    isProxied: false,
    facts: isToken ? tokenFacts(n) : factsOf(operation, booking, n),
  }
}

function tokenFacts(n: number): Facts {
  return {askedScopes: 'hotels:read', scopes: 'hotels:read', issued: hash('token', n / 1000)}
}

function factsOf(operation: string, booking: number, n: number): Facts {
  if (operation === 'reservations.list') return {isEmpty: true, reference: hash('reference', booking)}
  if (operation !== 'reservations.create') return {reservation: `RSV-${booking}`}
  const attempted = booking * 2 + (n % 10 > 5 ? 1 : 0)
  return {
    offer: hash('offer', attempted),
    reference: hash('reference', attempted),
    key: hash('key', attempted),
    keyIsUuid: true,
    body: hash('body', attempted),
    reservation: `RSV-${booking}`,
  }
}

function hash(kind: string, n: number): string {
  return Buffer.from(`${kind}${n}`).toString('base64url').padEnd(16, '0')
}
