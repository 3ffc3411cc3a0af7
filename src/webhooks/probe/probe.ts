/** Sends a receiver the cases of §6, one after the other, and writes down what it answered and how long it took. */
import {WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'
import type {Handover} from '../forward/request.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import {type ProbeCase, type ProbeTerms, probeCases} from './cases.js'

/** One line of the sheet. */
export interface ProbeRow {
  readonly case: string
  readonly sent: string
  readonly expected: '2xx' | '401'
  /** Status, or why there was none. */
  readonly answered: number | string
  /** Until the answer's head came. */
  readonly ms: number
  /** Whether the answer is the one expected, and came within 3 s. */
  readonly ok: boolean
  /** What to look at; null when it is ok. */
  readonly advice: string | null
}

export interface ProbeParts {
  /** Waits longer than the 3 s of §6.4, so that a late answer is measured and not only missed. */
  readonly handover: Handover
  readonly url: string
  readonly names: WebhookHeaderNames
  readonly terms: ProbeTerms
  /** Unix seconds, with parts of a second. */
  readonly clock: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly onRow?: (row: ProbeRow) => void
}

const MOST_MILLISECONDS = WEBHOOK_RESPONSE_SECONDS * 1000
/** Ours: after so many answers that never came the rest is not waited for. */
const MOST_SILENCES = 3
/** Ours: a case on the edge of the tolerance is sent again when the second changed meanwhile. */
const MOST_EDGE_ATTEMPTS = 3

const LATE_IN_A_SECOND = 500

/** The sheet. Ends early when nothing answers any more. */
export async function probe(parts: ProbeParts): Promise<ProbeRow[]> {
  const rows: ProbeRow[] = []
  let silences = 0
  for (const one of probeCases(parts.terms)) {
    const row = await probeOne(parts, one)
    rows.push(row)
    parts.onRow?.(row)
    silences = typeof row.answered === 'string' ? silences + 1 : 0
    if (silences >= MOST_SILENCES) break
  }
  return rows
}

async function probeOne(parts: ProbeParts, one: ProbeCase): Promise<ProbeRow> {
  let row = await send(parts, one)
  for (let n = 1; one.isOnTheEdge && !row.ok && row.crossed && n < MOST_EDGE_ATTEMPTS; n++) {
    row = await send(parts, one)
  }
  const {crossed: _, ...rest} = row
  return rest
}

async function send(parts: ProbeParts, one: ProbeCase): Promise<ProbeRow & {crossed: boolean}> {
  const {handover, url, clock, sleep} = parts
  // Late in a second there is no time left for the receiver to look at its clock before the second is over.
  const passed = Math.floor((clock() % 1) * 1000)
  if (one.isOnTheEdge && passed > LATE_IN_A_SECOND) await sleep(1010 - passed)
  const second = Math.floor(clock())
  const request = one.build(second)
  const {status, error, milliseconds} = await handover.send(url, headersOf(parts, request), request.body)
  const ok = isExpected(one.expected, status) && milliseconds <= MOST_MILLISECONDS
  const late = milliseconds > MOST_MILLISECONDS
  return {
    ...{case: one.name, sent: one.sent, expected: one.expected},
    answered: status ?? error ?? 'no answer',
    ms: milliseconds,
    ok,
    advice: ok ? null : late ? LATE : one.advice,
    crossed: Math.floor(clock()) !== second,
  }
}

const LATE = 'answer within 3 s: 200 first, the work afterwards (§6.4)'

function isExpected(expected: ProbeRow['expected'], status: number | null): boolean {
  if (status === null) return false
  return expected === '401' ? status === 401 : status >= 200 && status < 300
}

function headersOf({names}: ProbeParts, request: {signatures: readonly string[]; eventId: string}): string[] {
  const headers = [
    'Content-Type',
    'application/json',
    'User-Agent',
    'bookctl-probe',
    names.eventId,
    request.eventId,
  ]
  for (const value of request.signatures) headers.push(names.signature, value)
  return headers
}
