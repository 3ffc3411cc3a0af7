/**
 * The verdict of `webhooks verify` as a mail to the partner who sent the request: plain sentences without secrets, without the
 * content of the body, and without words of this program.
 */
import {isEventType} from '../../../contract/events.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import type {CheckResult} from '../../../webhooks/diagnose/check.js'
import advice from './verify-reply.json' with {type: 'json'}

/** What a finding means, and what to change, in the words of the reply. */
interface Advice {
  readonly means: string
  readonly change: string
}

const ADVICE: Readonly<Record<string, Advice>> = advice

/** Returns the reply for one result, as paragraphs. It names the event by its id and type, and nothing else of the body. */
export function replyText(result: CheckResult): string {
  const {valid, reason, findings} = result
  if (valid) return paragraphs([checkedText(result), VALID_MEANS, VALID_CHANGE])
  const known = findings.flatMap(
    ({code}) => ADVICE[code === 'unexplained' ? reason : code] ?? ADVICE[code] ?? [],
  )
  const found = known.length > 0 ? known : [ADVICE.unexplained as Advice]
  const means = found.map(each => each.means).join(' ')
  const change = found.map(each => each.change).join(' ')
  if (reason === 'not_checked' || findings[0]?.code === 'capture_unreadable')
    return paragraphs([
      `We looked at what you sent us${aboutEvent(result)}, but we could not check its signature.`,
      `The result: nothing was checked, so this says neither that the signature is right nor that it is wrong. ${means}`,
      `What we need from you: ${change}`,
    ])
  return paragraphs([
    checkedText(result),
    `The result: ${isSecretWrong(result) ? WRONG_SECRET : RESULTS[reason]} ${timeText(result)}`.trimEnd(),
    `What this means: ${means}`,
    `What to change: ${change}`,
  ])
}

const RESULTS: Readonly<Record<Exclude<CheckResult['reason'], 'not_checked'>, string>> = {
  ok: 'the signature is valid.',
  missing_header: 'the request has no signature, so nothing shows that it comes from us.',
  malformed_header: 'the signature is not in the form in which we send it, so the request is not valid.',
  signature_mismatch: 'the signature does not belong to this request, so the request is not valid.',
  timestamp_outside_tolerance:
    'the signature itself is right, but its time is too far from the time of the check.',
  event_id_mismatch: 'the signature itself is right, but the id of the event is not.',
}

const WRONG_SECRET = 'the signature does not fit the secret that it was checked with.'

/** Reports whether the secret in hand is the only mistake, so that the request may be in order. */
function isSecretWrong({reason, findings}: CheckResult): boolean {
  return reason === 'signature_mismatch' && findings.every(({code}) => code.startsWith('secret_'))
}

const VALID_MEANS =
  'The result: the signature is valid. The request was signed with the secret that we checked it with, and its body is, byte for byte, the one that was signed.'
const VALID_CHANGE = `What this means: the request is in order. If your program refuses it, please compare four things there. It has to use the body exactly as it arrived, before any JSON is read. The key is the whole secret, including whsec_, without spaces or quotes. The text to sign is the time from the signature (after t=), a full stop, and the body. And the request may be refused for its age only if it arrived more than ${SIGNATURE_TOLERANCE_SECONDS} seconds after that time.`

const paragraphs = (parts: readonly string[]) => `${parts.join('\n\n')}\n`

function checkedText(result: CheckResult): string {
  return `We checked the signature of the request that you sent us${aboutEvent(result)}: its body, the time in its signature, and the secret of the subscription.`
}

/** Names the event. Ids and types that are not of the usual form may hold anything, and are left out. */
function aboutEvent({event_id: id, type, timestamp}: CheckResult): string {
  const words = [
    id !== null && /^[\w-]{1,80}$/.test(id) && `event ${id}`,
    type !== null && isEventType(type) && type,
    timestamp !== null && timestamp < MOST_SECONDS && `signed at ${timeWords(timestamp)}`,
  ].filter(word => word !== false)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

const MOST_SECONDS = 253_402_300_800

/** Formats Unix seconds as `2026-11-20 12:00:00 UTC`. */
function timeWords(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function timeText({reason, age_seconds: age}: CheckResult): string {
  if (reason !== 'timestamp_outside_tolerance' || age === null) return ''
  const length = `${Math.abs(age)} seconds`
  const words =
    age < 0
      ? `It lies ${length} after the time of the check`
      : `It lies ${length} before the time of the check`
  return `${words}; ${SIGNATURE_TOLERANCE_SECONDS} seconds are usual.`
}
