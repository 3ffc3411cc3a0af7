/** The voucher (§2.6, §4.5): the service gives a signed link to a PDF, and the link is fetched without credentials. */
import {Failure} from '../../contract/failure.js'
import {whyNotJson} from '../../contract/json.js'
import {reservationIn} from '../answers/asked.js'
import {describeError, errorInAnswer} from '../answers/errors.js'
import {findVoucherUrl} from '../answers/links.js'
import {notUnderstood, refusalOf, unanswered} from '../answers/refusals.js'
import {type Answer, type Api, SendError, type SentAnswer} from '../types.js'

export interface VoucherOptions {
  /** How long to wait for a voucher that is not ready (default: not at all). */
  readonly waitSeconds?: number
  /** Called before each wait. */
  readonly onWait?: () => void
}

/** Ours. */
const FIRST_POLL_SECONDS = 1
const LONGEST_POLL_SECONDS = 5
/** Statuses that may mean "not yet" (§4.5 shows none): before CONFIRMED, and shortly after it in a slow service. */
const NOT_READY: ReadonlySet<number> = new Set([402, 404, 409, 412, 422, 425])
/** What an expired or altered link is answered with. */
const LINK_EXPIRED: ReadonlySet<number> = new Set([403, 410])

/** One look at the voucher: its link, or why there is none yet. */
type Look = {readonly link: string} | {readonly notYet: Failure}

/**
 * The whole PDF. While it is not ready it polls until `waitSeconds` are over, then throws a Failure of kind `pending`;
 * without `waitSeconds` the service's own refusal, or service_failed for a success that names no link. Whatever is cut, foreign or no PDF is a Failure.
 */
export async function fetchVoucher(
  api: Api,
  reservationRef: string,
  options: VoucherOptions = {},
): Promise<Uint8Array> {
  const link = await waitForLink(api, reservationRef, options)
  const first = await api.fetchLink(link)
  if (!LINK_EXPIRED.has(first.status)) return requirePdf(first)
  const fresh = await look(api, reservationRef)
  if ('notYet' in fresh) throw fresh.notYet
  return requirePdf(await api.fetchLink(fresh.link))
}

/**
 * One look, of `timeoutSeconds` at most: whether the voucher can be fetched now. Throws Failure when the answer does not say.
 */
export async function isVoucherReady(
  api: Api,
  reservationRef: string,
  timeoutSeconds?: number,
): Promise<boolean> {
  const deadline = timeoutSeconds === undefined ? undefined : api.clock.now() + timeoutSeconds
  return 'link' in (await look(api, reservationRef, deadline))
}

async function waitForLink(api: Api, reservationRef: string, options: VoucherOptions): Promise<string> {
  const deadline = api.clock.now() + (options.waitSeconds ?? 0)
  for (let wait = FIRST_POLL_SECONDS; ; wait = Math.min(wait * 2, LONGEST_POLL_SECONDS)) {
    const seen = await look(api, reservationRef, options.waitSeconds === undefined ? undefined : deadline)
    if ('link' in seen) return seen.link
    if (options.waitSeconds === undefined) throw seen.notYet
    const left = deadline - api.clock.now()
    if (left <= 0) throw stillPending(reservationRef, seen.notYet)
    options.onWait?.()
    await api.clock.sleep(Math.min(wait, left) * 1000)
  }
}

/** With a deadline, a service that fails or cannot be reached is "not yet" too: the next look may find it. */
async function look(api: Api, reservationRef: string, deadline?: number): Promise<Look> {
  const policy = deadline === undefined ? {} : {timeoutSeconds: Math.max(1, deadline - api.clock.now())}
  let answer: Answer
  try {
    answer = await api.exchange('voucher.show', {parameters: {reservation_ref: reservationRef}, policy})
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    const failure = unanswered(error, false)
    if (deadline === undefined || error.last.fault === 'tls') throw failure
    return {notYet: failure}
  }
  return judge(api, reservationRef, answer, deadline !== undefined)
}

function judge(api: Api, reservationRef: string, answer: Answer, waiting: boolean): Look {
  const isSuccess = answer.status >= 200 && answer.status < 300
  if (!isSuccess) {
    const refusal = refusalOf(answer, api.clock.now())
    const isPassing =
      NOT_READY.has(answer.status) || (waiting && (answer.status >= 500 || answer.status === 429))
    if (isPassing) return {notYet: refusal}
    throw refusal
  }
  if (answer.json === undefined) throw notUnderstood(answer, whyNotJson(answer.body))
  reservationIn(answer, reservationRef)
  const link = findVoucherUrl(answer.json, api.baseUrl)
  return link === undefined ? {notYet: errorInAnswer(answer) ?? noLink(answer)} : {link}
}

function noLink(answer: Answer): Failure {
  const message = `the service answered ${answer.status} and gives no link to the voucher`
  return new Failure('service_failed', message, {
    code: 'no_voucher_link',
    hint: 'if it is still being made, wait for it with --wait; else report this to the operator of the service',
    status: answer.status,
    ...(answer.requestId === undefined ? {} : {requestId: answer.requestId}),
  })
}

function stillPending(reservationRef: string, last: Failure): Failure {
  return new Failure('pending', `the voucher of ${reservationRef} is not ready yet: ${last.message}`, {
    ...last.details,
    code: 'voucher_not_ready',
    hint: 'try again later, or wait longer with --wait=SECONDS',
  })
}

function requirePdf(answer: SentAnswer): Uint8Array {
  if (answer.status !== 200) throw linkFailed(answer)
  const {body, headers} = answer
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
  const problem =
    text(body.subarray(0, 5)) !== '%PDF-'
      ? 'is not a PDF'
      : headers['content-length'] !== undefined && Number(headers['content-length']) !== body.length
        ? 'has not the length it should have'
        : text(body.subarray(-2048)).includes('%%EOF')
          ? undefined
          : 'is cut off'
  if (problem === undefined) return body
  throw new Failure('service_failed', `what the voucher's link gave ${problem}; nothing was saved`, {
    code: 'bad_voucher',
    hint: 'try again; if it stays so, report it to the operator of the service',
  })
}

function linkFailed(answer: SentAnswer): Failure {
  const {code, message, requestId} = describeError(answer)
  const kind = answer.status >= 400 && answer.status < 500 ? 'refused' : 'service_failed'
  const said = message === undefined ? '' : `: ${message}`
  return new Failure(kind, `the voucher's link was answered with status ${answer.status}${said}`, {
    code: LINK_EXPIRED.has(answer.status) ? 'voucher_link_expired' : code,
    status: answer.status,
    ...(requestId === undefined ? {} : {requestId}),
    hint: 'try again: each time a new link is asked for',
  })
}
