/** Rules about refusals and a busy service (§7). */
import {counted} from '../base/wording.js'
import type {Evidence, SeenRequest} from './evidence.js'
import {
  finding,
  groupBy,
  inOrder,
  type Rule,
  rowsOf,
  rowsWithPauses,
  secondsBetween,
  type Workers,
  workersOf,
} from './rule.js'

/** Refusals that can pass without a change of the request. */
const PASSING_STATUSES = [408, 425, 429]
const PASSING_CODES = [
  'idempotency_in_progress',
  'reservation_not_confirmed',
  'subscription_passive',
  'insufficient_balance',
  // What a program does then is judged by token.renewed.
  'token_expired',
]
const MOST_REPEATS = 2
/** A request that comes later than this is a new question, not a repeat. */
const REPEAT_SECONDS = 60

function isFinal({status, code}: SeenRequest): boolean {
  if (status === null || status < 400 || status > 499) return false
  return !PASSING_STATUSES.includes(status) && !PASSING_CODES.includes(code ?? '')
}

/** Refusals of an offer, which stay whatever else is in the booking. */
const OF_THE_OFFER = ['rooms_unavailable', 'offer_already_used', 'offer_expired']

function judgeRefusal({requests}: Evidence, explained: ReadonlySet<string>) {
  const workers = workersOf(requests)
  const refused = requests.filter(isFinal)
  const contents = new Set(refused.map(({content}) => content))
  const groups = groupBy(
    requests.filter(({content, requestId}) => contents.has(content) && !explained.has(requestId)),
    refusedPartOf,
  )
  const failures = [...groups.values()]
    .flatMap(same => rowsOfRefusals(same, workers))
    .flatMap(repeatedRefusals)
  return finding(refused.length, inOrder(failures), {
    broken: count =>
      `a refused request was repeated unchanged more than ${MOST_REPEATS} times: ${counted(count, 'request')}`,
    kept: `${counted(refused.length, 'refusal')}, not repeated unchanged more than ${MOST_REPEATS} times`,
    unseen: 'nothing was refused',
  })
}

/** A request with another token is not the same: each process has its own. */
const contentOf = ({content, token}: SeenRequest) => `${content} ${token}`

/** Returns what must change before the request is sent again: the offer, or anything in the request. */
function refusedPartOf(request: SeenRequest): string {
  const {operation, code, facts} = request
  const isOffer = facts.offer !== undefined && OF_THE_OFFER.includes(code ?? '')
  return isOffer ? `${operation} ${facts.offer}` : contentOf(request)
}

/** Some rows are from one worker. Those with pauses may be from several, each of which knows the refusal before by then. */
function rowsOfRefusals(same: readonly SeenRequest[], workers: Workers): SeenRequest[][] {
  const known = rowsOf(same, workers)
  return known.length < 2 ? known : [...known, ...rowsWithPauses(same, workers.unawareMilliseconds)]
}

/** Returns the requests of each run of refusals that is too long. */
function repeatedRefusals(row: readonly SeenRequest[]): SeenRequest[] {
  const found: SeenRequest[] = []
  let run: SeenRequest[] = []
  const close = () => {
    if (run.length > MOST_REPEATS + 1) found.push(...run)
    run = []
  }
  for (const request of row) {
    const last = run.at(-1)
    if (!isFinal(request) || (last && (request.begun - last.ended) / 1000 > REPEAT_SECONDS)) close()
    if (isFinal(request)) run.push(request)
  }
  close()
  return found
}

const isBusy = ({status}: SeenRequest) => status !== null && (status === 429 || status >= 500)

/** Timers of the client may fire early by a little. */
const SLACK_SECONDS = 0.1
const MOST_REPEATS_WHILE_BUSY = 3
const BURST_SECONDS = 1
/** A proxy that repeats a request does so at once. */
const PROXY_SECONDS = 1

function judgeBusy({requests}: Evidence) {
  const workers = workersOf(requests)
  const busy = requests.filter(isBusy)
  const contents = new Set(busy.map(({content}) => content))
  const groups = groupBy(
    requests.filter(({content}) => contents.has(content)),
    contentOf,
  )
  const failures = new Set<SeenRequest>()
  for (const same of groups.values()) {
    for (const row of rowsOf(same, workers)) {
      for (const request of [...tooEarly(row), ...bursts(row)]) failures.add(request)
    }
  }
  return finding(busy.length, inOrder(failures), {
    broken: count =>
      `sent again before Retry-After, or more than ${MOST_REPEATS_WHILE_BUSY} times within a second: ${counted(count, 'request')}`,
    kept: `${counted(busy.length, 'answer')} of 429 or 5xx, none repeated too early`,
    unseen: 'the service was never busy (429, 5xx)',
  })
}

function tooEarly(row: readonly SeenRequest[]): SeenRequest[] {
  return row.filter((request, n) => {
    const before = row[n - 1]
    if (before === undefined || !isBusy(before) || before.retryAfter === null) return false
    const seconds = secondsBetween(before, request)
    const isOfProxy =
      before.isProxied && request.isProxied && seconds < PROXY_SECONDS && row[n - 2] === undefined
    return !isOfProxy && seconds < before.retryAfter - SLACK_SECONDS
  })
}

/** Returns the requests that were repeated more than three times within a second of an answer that the service is busy. */
function bursts(row: readonly SeenRequest[]): SeenRequest[] {
  const found = new Set<SeenRequest>()
  row.forEach((first, n) => {
    const last = row[n + MOST_REPEATS_WHILE_BUSY + 1]
    const all = row.slice(n, n + MOST_REPEATS_WHILE_BUSY + 1)
    if (last === undefined || !all.every(isBusy) || secondsBetween(first, last) >= BURST_SECONDS) return
    for (const request of [...all, last]) found.add(request)
  })
  return [...found]
}

export const ERROR_RULES: readonly Rule[] = [
  {
    id: 'errors.refusal',
    section: '§7',
    required: true,
    advice: 'Do not repeat a request that was refused (4xx) unchanged: correct it, or report the refusal.',
    judge: judgeRefusal,
  },
  {
    id: 'errors.busy',
    section: null,
    required: true,
    advice: 'After 429 and 503 wait for the seconds of Retry-After, and longer after each further one.',
    judge: judgeBusy,
  },
]
