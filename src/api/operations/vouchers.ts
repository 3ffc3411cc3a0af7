/**
 * Downloads vouchers (§2.6, §4.5). The service returns a signed link to a PDF, which is fetched without credentials.
 */

import {Failure} from '../../contract/failure.js'
import {whyNotJson} from '../../contract/json.js'
import {isSuccess} from '../../contract/operations.js'
import {reservationIn} from '../answers/asked.js'
import {describeError, errorInAnswer, notUnderstood, refusalOf, unanswered} from '../answers/refusals.js'
import {findVoucherUrl, isEnded} from '../answers/reservations.js'
import {type Answer, type Api, SendError, type SentAnswer} from '../types.js'
import {showReservation} from './reservations.js'

/** How long to wait between two requests for the link, in seconds. Not in the interface. */
const POLL_SECONDS = {first: 1, longest: 5} as const
/**
 * Statuses that may mean that the voucher is not ready yet (§4.5 shows none): before the reservation is CONFIRMED or,
 * in a slow service, shortly after.
 */
const NOT_READY: ReadonlySet<number> = new Set([402, 404, 409, 412, 422, 425])
/** Statuses of a link that has expired or was altered. */
const LINK_EXPIRED: ReadonlySet<number> = new Set([403, 410])

/**
 * Returns the complete PDF. With `waitSeconds`, asks repeatedly until the voucher is ready, and throws a Failure of
 * kind `pending` when the time is up. Without it, throws the service's refusal if the voucher is not ready, or
 * `service_failed` if the answer has no link. Also throws a Failure if the file is truncated or is not a PDF.
 */
export async function fetchVoucher(api: Api, reference: string, waitSeconds?: number): Promise<Uint8Array> {
  const first = await api.fetchLink(await waitForLink(api, reference, waitSeconds))
  if (!LINK_EXPIRED.has(first.status)) return requirePdf(first)
  return requirePdf(await api.fetchLink(await waitForLink(api, reference)))
}

/**
 * Reports whether the voucher can be downloaded now. `timeoutSeconds` limits the check. Throws a Failure if the answer
 * does not say.
 */
export async function isVoucherReady(api: Api, reference: string, timeoutSeconds?: number): Promise<boolean> {
  const deadline = timeoutSeconds === undefined ? undefined : api.clock.now() + timeoutSeconds
  return typeof (await peek(api, reference, deadline)) === 'string'
}

async function waitForLink(api: Api, reference: string, waitSeconds?: number): Promise<string> {
  const deadline = waitSeconds === undefined ? undefined : api.clock.now() + waitSeconds
  for (let wait: number = POLL_SECONDS.first; ; wait = Math.min(wait * 2, POLL_SECONDS.longest)) {
    const seen = await peek(api, reference, deadline)
    if (typeof seen === 'string') return seen
    const left = deadline === undefined ? undefined : deadline - api.clock.now()
    if (seen.kind === 'refused') await refuseEnded(api, reference, seen, left)
    if (left === undefined) throw seen
    if (left <= 0) {
      const hint = 'try again later, or wait longer with --wait=SECONDS'
      const details = {...seen.details, code: 'voucher_not_ready', hint}
      throw new Failure('pending', `the voucher of ${reference} is not ready yet: ${seen.message}`, details)
    }
    await api.clock.sleep(Math.min(wait, left) * 1000)
  }
}

/**
 * Throws a Failure if the reservation has ended, because it will never get a voucher. Does nothing if the reservation
 * cannot be read.
 */
async function refuseEnded(api: Api, reference: string, seen: Failure, timeoutSeconds?: number) {
  const found = await showReservation(api, reference, {timeoutSeconds}).catch(error => {
    if (!(error instanceof Failure)) throw error
  })
  if (!found?.status || !isEnded(found.status)) return
  const hint = `to see it: bookctl reservations show ${reference}`
  const message = `reservation ${reference} is ${found.status.trim().toLowerCase()} and gets no voucher`
  throw new Failure('refused', message, {...seen.details, hint})
}

/**
 * Returns the link to the voucher, or a Failure that says why there is none yet. If there is a deadline (Unix seconds),
 * a service that fails or cannot be reached also counts as "not yet".
 */
async function peek(api: Api, reference: string, deadline?: number): Promise<string | Failure> {
  const isWaiting = deadline !== undefined
  const policy = isWaiting ? {timeoutSeconds: Math.max(1, deadline - api.clock.now())} : {}
  let answer: Answer
  try {
    answer = await api.callForAnswer('voucher.show', {parameters: {reservation_ref: reference}, policy})
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    const failure = unanswered(error, false)
    if (!isWaiting || error.last.fault === 'tls') throw failure
    return failure
  }
  const {status} = answer
  if (!isSuccess(answer)) {
    const refusal = refusalOf(answer, {now: api.clock.now(), about: reference})
    if (NOT_READY.has(status) || (isWaiting && (status >= 500 || status === 429))) return refusal
    throw refusal
  }
  if (answer.json === undefined) throw notUnderstood(answer, whyNotJson(answer.body))
  reservationIn(answer, reference)
  const found = findVoucherUrl(answer.json, api.baseUrl) ?? errorInAnswer(answer)
  if (found !== undefined) return found
  const hint =
    'if it is still being made, wait for it with --wait; else report this to the operator of the service'
  const message = `the service answered ${status} and gives no link to the voucher`
  const {requestId} = answer
  return new Failure('service_failed', message, {code: 'no_voucher_link', hint, status, requestId})
}

function requirePdf(answer: SentAnswer): Uint8Array {
  if (answer.status !== 200) throw linkFailed(answer)
  const text = Buffer.from(answer.body).toString('latin1')
  const isPdf = text.startsWith('%PDF-')
  // Only white space may follow the end. PDF also allows NUL bytes there, but they are a sign of lost data.
  if (isPdf && /%%EOF[\t\n\f\r ]*$/.test(text)) return answer.body
  const problem = isPdf ? 'is cut off' : 'is not a PDF'
  throw new Failure('service_failed', `what the voucher's link gave ${problem}; nothing was saved`, {
    code: 'bad_voucher',
    hint: 'try again; if it lasts, report it to the operator of the service',
  })
}

function linkFailed(answer: SentAnswer): Failure {
  const {status} = answer
  const {code, message, requestId} = describeError(answer)
  const kind = status >= 400 && status < 500 ? 'refused' : 'service_failed'
  const words = message === undefined ? '' : `: ${message}`
  return new Failure(kind, `the voucher's link was answered with status ${status}${words}`, {
    code: LINK_EXPIRED.has(status) ? 'voucher_link_expired' : code,
    status,
    requestId,
    hint: 'try again: each time a new link is asked for',
  })
}
