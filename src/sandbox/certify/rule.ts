/** A rule by which partners are judged, and how the judges compare requests in time. */
import type {Evidence, SeenRequest} from './evidence.js'

export interface Rule {
  readonly id: string
  /** The section of the interface that it is based on; null if it is only good practice. */
  readonly section: string | null
  /** Whether the interface demands it. A rule that is only advice never changes the exit code. */
  readonly required: boolean
  /** What a program that breaks the rule should do. */
  readonly advice: string
  readonly judge: (evidence: Evidence, explained: ReadonlySet<string>) => Finding
}

/** What a judge found. A rule with failures is failed; one that was seen is passed; the others are not shown. */
export interface Finding {
  /** How often the traffic showed whether the rule is kept. */
  readonly seen: number
  /** The ids of the requests, or deliveries, that break the rule, in their order. */
  readonly failures: readonly string[]
  /** What happened, in a sentence. */
  readonly text: string
}

/** Returns a finding. `broken` describes the failures, given their number. */
export function finding(
  seen: number,
  failures: readonly SeenRequest[],
  texts: {readonly broken: (count: number) => string; readonly kept: string; readonly unseen: string},
): Finding {
  const ids = failures.map(({requestId}) => requestId)
  return {seen, failures: ids, text: textOf(seen, ids.length, texts)}
}

/** Returns the requests in the order of their arrival, each once. */
export function inOrder(requests: Iterable<SeenRequest>): SeenRequest[] {
  return [...new Set(requests)].sort((a, b) => a.sequence - b.sequence)
}

export function textOf(
  seen: number,
  count: number,
  {broken, kept, unseen}: {broken: (count: number) => string; kept: string; unseen: string},
): string {
  if (count > 0) return broken(count)
  return seen > 0 ? kept : unseen
}

/** Reports whether `later` arrived after `earlier` had ended. A program that sends one after the other then knows the answer. */
export function isAfter(earlier: SeenRequest, later: SeenRequest): boolean {
  return later.begun >= earlier.ended
}

/** Reports whether two of the requests, which are in the order of their arrival, were under way at the same time. */
function hasOverlap(requests: readonly SeenRequest[]): boolean {
  let latest = 0
  for (const {connected, ended} of requests) {
    if (connected < latest) return true
    latest = Math.max(latest, ended)
  }
  return false
}

/**
 * How long after an answer, in milliseconds of real time, requests of a program with several workers may still come from
 * workers that do not know it: the answer is on its way, they have not run since, or what they sent has not been read yet.
 */
const UNAWARE_MILLISECONDS = 2000

/**
 * What is known of the workers of a program, threads or processes. Only requests that wait at the same time show that there are
 * several: the sandbox reads one after the other, also those that were sent together.
 */
export interface Workers {
  readonly areSeveral: boolean
  /** How long after an answer a worker may not know it: 0 if there is only one. */
  readonly unawareMilliseconds: number
}

/** Returns what the requests, which are all those of a program in the order of their arrival, show of its workers. */
export const workersOf = onceEach((requests: readonly SeenRequest[]): Workers => {
  const areSeveral = hasOverlap(requests)
  return {areSeveral, unawareMilliseconds: areSeveral ? UNAWARE_MILLISECONDS : 0}
})

/** Returns the seconds between the end of one request and the arrival of another, by the clock by which it is longer. */
export function secondsBetween(earlier: SeenRequest, later: SeenRequest): number {
  const real = (later.begun - earlier.ended) / 1000
  const lasted = (earlier.ended - earlier.begun) / 1000
  return Math.max(real, later.at - earlier.at - lasted)
}

/** Reports whether the booking may have been made although the client was not told: no answer, or a 5xx. */
export function isLost({ending, status}: SeenRequest): boolean {
  return ending === 'cut' || ending === 'gone' || (status !== null && status >= 500)
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** Returns `work` with a memory: for the same input it runs once. The result is forgotten together with the input. */
export function onceEach<Input extends object, Result extends object>(
  work: (input: Input) => Result,
): (input: Input) => Result {
  const known = new WeakMap<Input, Result>()
  return input => {
    const result = known.get(input) ?? work(input)
    known.set(input, result)
    return result
  }
}

/**
 * Splits equal requests into rows, each of which is known to be from one worker, one after the other. A booking is made by one
 * worker, and so is everything of a program that has only one; of others it is known of a connection. But if some were under way at
 * the same time, each may be from another worker.
 */
export function rowsOf(equal: readonly SeenRequest[], {areSeveral}: Workers): SeenRequest[][] {
  if (hasOverlap(equal)) return equal.map(request => [request])
  if (!areSeveral || equal.every(({facts}) => facts.key !== undefined)) return [[...equal]]
  return [...groupBy(equal, ({connection}) => String(connection)).values()]
}

/**
 * Splits equal requests into as many rows as needed for a pause of `milliseconds` between any two. A request continues the
 * shortest row that it can, so that no worker is blamed for the requests of another.
 */
export function rowsWithPauses(equal: readonly SeenRequest[], milliseconds: number): SeenRequest[][] {
  const all: SeenRequest[][] = []
  for (const request of equal) {
    let shortest: SeenRequest[] | undefined
    for (const row of all) {
      const last = row.at(-1)
      if (last === undefined || request.begun < last.ended + milliseconds) continue
      if (shortest === undefined || row.length < shortest.length) shortest = row
    }
    if (shortest === undefined) all.push([request])
    else shortest.push(request)
  }
  return all
}

/**
 * Returns a function that takes a time of the sandbox's clock, and returns by how many seconds the clock had been moved by then.
 * It knows only the moves that the requests show.
 */
export function movesOf(requests: readonly SeenRequest[]): (at: number) => number {
  const slack = 0.001
  return at => {
    let low = 0
    let high = requests.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((requests[middle]?.at ?? 0) <= at + slack) low = middle + 1
      else high = middle
    }
    return (requests[low - 1] ?? requests[0])?.moved ?? 0
  }
}

/**
 * `refused` are requests that were refused because something in them had expired. Returns those that count against the program.
 * If it expired only because the clock was moved, the program did not know until the first refusal was answered, so earlier
 * requests are excused, also those of workers that could not know it yet. Later ones count, and the first refusal counts with
 * them. `reports` are all answers that report the expiry.
 */
export function countedExpiries(
  refused: readonly SeenRequest[],
  reports: readonly SeenRequest[],
  validSeconds: number,
  movedAt: (at: number) => number,
  {unawareMilliseconds}: Workers,
): SeenRequest[] {
  const [first] = refused
  if (first === undefined) return []
  const issuedAt = (first.facts.expiresAt ?? 0) - validSeconds
  const isLate = ({at, moved}: SeenRequest) => at - moved - (issuedAt - movedAt(issuedAt)) >= validSeconds
  const late = refused.filter(isLate)
  const firstReport = Math.min(...reports.map(({ended}) => ended))
  const goneOn = refused.filter(
    request => !isLate(request) && request.begun >= firstReport + unawareMilliseconds,
  )
  if (late.length + goneOn.length === 0) return []
  const refusal = refused.filter(request => !isLate(request) && request.ended === firstReport)
  return [...new Set([...refusal, ...goneOn, ...late])]
}
