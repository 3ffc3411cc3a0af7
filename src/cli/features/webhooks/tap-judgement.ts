/** Judges an exchange that `webhooks tap` forwarded: the request by §6.3, and the receiver's answer by §6.4. */
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {isSuccess} from '../../../contract/operations.js'
import {type CheckResult, checkReceived} from '../../../webhooks/diagnose/check.js'
import type {CheckTerms, Finding} from '../../../webhooks/diagnose/finding.js'
import {BREAKS, type Relayed} from '../../../webhooks/forward/relay.js'
import {adviceOnRefusal, LATE, REFUSE} from '../../../webhooks/probe/probe.js'
import {checkArrival} from '../../../webhooks/receive/receiver.js'
import {lowerCaseNames} from '../../../webhooks/signature/headers.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import {isLate, unansweredText} from './targets.js'

/** The verdict, as in `webhooks verify`. It is `not_checked` if the sender did not send the whole request. */
export interface Judgement extends Omit<CheckResult, 'timestamp'> {
  /** Whether the answer took longer than §6.4 allows. */
  readonly late: boolean
}

/** What is needed, besides the exchange, to judge it. */
export type JudgeTerms = Pick<CheckTerms, 'names' | 'otherSecrets' | 'removedSecrets'> & {
  readonly secrets: readonly NamedSecret[]
  /** Whether to search for the cause of a failed check, which takes up to 50 ms. */
  readonly searches: boolean
  /** URL of the receiver, for messages. */
  readonly to: string
}

/** Returns the verdict on the request. The findings say why the check failed and what is wrong with the answer. */
export async function judgeExchange(relayed: Relayed, terms: JudgeTerms): Promise<Judgement> {
  const request = await judgeRequest(relayed, terms)
  const findings = [...request.findings, ...answerFindings(relayed, request, terms.to)]
  return {...request, findings, late: isLate(relayed.milliseconds)}
}

type RequestJudgement = Omit<Judgement, 'late'>

async function judgeRequest(relayed: Relayed, terms: JudgeTerms): Promise<RequestJudgement> {
  const {method, rawHeaders, receivedAt, verdict, body, bodyBytes} = relayed
  const {secrets, names, searches} = terms
  const unknown = {event_id: null, type: null, age_seconds: null, secret: null}
  if (verdict === undefined) {
    const explanation = `The sender ended the request after ${bodyBytes} bytes of its body, so nothing could be checked.`
    const fix = 'See the log of the sender, or of what is between it and this command.'
    return {
      ...unknown,
      valid: false,
      reason: 'not_checked',
      findings: [{code: 'incomplete', explanation, fix}],
    }
  }
  if (method !== 'POST' && verdict.reason === 'missing_header') {
    const explanation = `This is no event: events are sent by POST, and this is a ${method}.`
    const fix = 'Nothing, if a monitor or a browser sent it.'
    return {
      ...unknown,
      valid: false,
      reason: verdict.reason,
      findings: [{code: 'no_event', explanation, fix}],
    }
  }
  const {ageSeconds: age_seconds = null, secretName: secret = null} = verdict
  if (body === undefined) {
    const explanation = `The body of ${bodyBytes} bytes was too long to keep, so only its signature was checked.`
    const finding = {code: 'body_not_kept', explanation, fix: 'Check the event id in the receiver.'}
    const {valid, reason} = verdict
    return {...unknown, age_seconds, secret, valid, reason, findings: [finding]}
  }
  if (!searches) {
    const arrival = checkArrival({rawHeaders, body, receivedAt}, lowerCaseNames(names), secrets)
    const {reason, type, eventId: event_id = null} = arrival
    const explanation = 'The cause was not searched for, because too many requests fail at once.'
    const finding = {code: 'not_searched', explanation, fix: 'Verify a capture: bookctl webhooks verify FILE'}
    const valid = reason === 'ok'
    return {event_id, type, age_seconds, secret, valid, reason, findings: valid ? [] : [finding]}
  }
  const {timestamp: _, ...result} = await checkReceived({rawHeaders, body, receivedAt}, terms)
  return result
}

/** Returns what is wrong with the receiver's answer. `valid` and `reason` are the verdict on the request. */
function answerFindings(relayed: Relayed, {valid, reason}: RequestJudgement, to: string): Finding[] {
  const {status, error, milliseconds, method, answerHeaders: headers} = relayed
  const ms = Math.round(milliseconds)
  const findings: Finding[] = []
  if (error === BREAKS.senderGone) {
    const when = status === null ? 'before the receiver answered' : 'before it had the whole answer'
    findings.push({
      code: error,
      explanation: `The sender hung up after ${ms} ms, ${when}.`,
      fix: sentence(LATE),
    })
  } else if (error === BREAKS.answerCut) {
    const explanation = 'The receiver ended its answer before it was complete.'
    findings.push({code: error, explanation, fix: 'See the log of the receiver.'})
  } else if (error !== null) {
    const explanation = `The receiver did not answer (${unansweredText(error, to)}), so the sender was answered ${status}.`
    findings.push({code: 'no_answer', explanation, fix: 'Check that the receiver runs, and --to.'})
  } else if (isLate(milliseconds)) {
    const explanation = `The answer took ${ms} ms; a receiver has ${WEBHOOK_RESPONSE_SECONDS} s.`
    findings.push({code: 'late', explanation, fix: sentence(LATE)})
  }
  const isJudged = method === 'POST' && reason !== 'not_checked' && status !== null
  if (!isJudged || (error !== null && error !== BREAKS.answerCut && error !== BREAKS.senderGone))
    return findings
  if (valid && !isSuccess({status})) {
    const explanation = `The receiver refused a valid event with ${status}, so the service sends it again.`
    const fix = sentence(adviceOnRefusal({status, milliseconds, error: null, headers}))
    findings.push({code: 'refused_valid', explanation, fix})
  } else if (!valid && status !== 401) {
    const what = isSuccess({status})
      ? 'accepted a request whose check fails'
      : 'did not refuse it as the rules say'
    const explanation = `The receiver ${what}: it answered ${status} instead of 401.`
    findings.push({code: 'not_refused', explanation, fix: sentence(REFUSE)})
  }
  return findings
}

/** Makes a sentence of an advice that begins in lower case. */
function sentence(advice: string): string {
  return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`
}
