/**
 * The verdict of `webhooks verify` as a mail to the partner who sent the request: plain sentences without secrets, without the
 * content of the body, and without words of this program.
 */

import {isEventType} from '../../../contract/events.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import type {CheckResult} from '../../../webhooks/diagnose/check.js'
import {dateText, listText, typeText} from '../explain/reply-words.js'
import advice from './verify-reply.json' with {type: 'json'}

/** What a finding means, and what to change, in the words of the reply. */
interface Advice {
  readonly means: string
  readonly change: string
}

const ADVICE: Readonly<Record<string, Advice>> = advice

/**
 * Returns the reply for one result, as paragraphs. It names the event by its id and type, and nothing else of the body.
 * `eventIdHeader` is the id in the headers, for a request without a body.
 */
export function replyText(result: CheckResult, eventIdHeader?: string | readonly string[]): string {
  const {valid, reason, findings} = result
  const about = aboutEvent(result, eventIdHeader)
  if (valid) return paragraphs([`${checkedText(about)} ${VALID_RESULT}`, VALID_MEANS, VALID_CHANGE])
  const known = findings.flatMap(({code, explanation}) => {
    const found = ADVICE[code === 'unexplained' ? reason : code] ?? ADVICE[code]
    return found === undefined
      ? []
      : [{code, ...found, means: found.means.replace('WHICH', whichOf(explanation))}]
  })
  const found = known.length > 0 ? known : [{code: 'unexplained', ...(ADVICE.unexplained as Advice)}]
  const means = found.map(each => each.means).join(' In addition: ')
  if (reason === 'not_checked' || findings[0]?.code === 'capture_unreadable')
    return paragraphs([
      `We looked at the notification that you sent us${about}, but we could not check its signature, so we can say neither that it is right nor that it is wrong. ${means}`,
      `What we need from you: ${found.map(({change}) => change).join(' ')}`,
    ])
  const isChange = isChanged(result)
  const parts = [
    `${checkedText(about)} ${resultText(result, isChange)} ${timeText(result)}`.trimEnd(),
    `${isChange ? 'What was changed' : 'What this means'}: ${means}`,
    isChange ? WHERE_CHANGED : '',
    `For your developers: ${changesOf(found)}`,
  ]
  return paragraphs(parts.filter(Boolean))
}

function resultText(result: CheckResult, isChange: boolean): string {
  if (isChange) return CHANGED
  if (!isSecretWrong(result)) return RESULTS[result.reason]
  return result.findings.every(({code}) => MISCOPIED.test(code)) ? MISCOPIED_SECRET : WRONG_SECRET
}

const RESULTS: Readonly<Record<CheckResult['reason'], string>> = {
  ok: 'The signature is valid.',
  not_checked: 'Nothing was checked.',
  missing_header: 'It has no signature, so nothing shows that it comes from us.',
  malformed_header:
    'Its signature is not in the form in which we send it, so nothing shows that it comes from us.',
  signature_mismatch:
    'The signature does not fit what you sent us, so it does not show that it comes from us.',
  timestamp_outside_tolerance: 'The signature is right, but its time is too far from the time of the check.',
  event_id_mismatch: 'The signature is right, but the id of the event is not.',
}

const MISCOPIED_SECRET =
  'The notification is from us and in order; only the secret that it was checked with is not right.'
const WRONG_SECRET =
  'The signature does not fit the secret that it was checked with, and the notification itself may be in order.'
const CHANGED =
  'The notification is from us, but it was changed after we signed it: with that undone, the signature is right.'
const WHERE_CHANGED =
  'We cannot see where this happened. If your program accepts our notifications, only the copy that you sent us was changed, and nothing has to be done. If your program refuses them, it is your program that changes them.'

/** Codes of changes that are proved: once they are undone, the signature fits. */
const CHANGES =
  /^(body_(?!cut$|missing$|unclear$)\w+|header_(renamed|repeated|rewritten)|content_length_short)$/
/** Codes of mistakes in the copy of the secret. The signature proves a change beside them all the same. */
const MISCOPIED = /^secret_(whitespace|quoted|prefix_doubled|base64_encoded|of_other_subscription)$/

/** Reports whether it is proven that the request was signed with the secret and changed afterwards. */
function isChanged({reason, findings}: CheckResult): boolean {
  const codes = findings.map(({code}) => code)
  return (
    !['timestamp_outside_tolerance', 'event_id_mismatch'].includes(reason) &&
    codes.some(code => CHANGES.test(code)) &&
    codes.every(code => CHANGES.test(code) || MISCOPIED.test(code))
  )
}

/** Reports whether the secret in hand is the only mistake, so that the request may be in order. */
function isSecretWrong({reason, findings}: CheckResult): boolean {
  return (
    reason === 'signature_mismatch' &&
    findings.length > 0 &&
    findings.every(({code}) => code.startsWith('secret_'))
  )
}

const GENERAL =
  'Check the signature over the bytes of the body exactly as they arrive, before anything reads, converts or stores them.'

/** Joins what to change. Several changes of the body have one remedy. */
function changesOf(found: readonly (Advice & {readonly code: string})[]): string {
  const isOfBody = ({code}: {readonly code: string}) => CHANGES.test(code) && code.startsWith('body_')
  const isSeveral = found.filter(isOfBody).length > 1
  const changes = found.map(each => (isSeveral && isOfBody(each) ? GENERAL : each.change))
  return [...new Set(changes)].join(' ')
}

/** What a body that was written again differs in, by the words of the explanation. */
const DIFFERENCES: readonly (readonly [RegExp, string])[] = [
  [/spacing/i, 'its spacing'],
  [/key order/, 'the order of its fields'],
  [/slashes/, 'the way in which its slashes are written'],
  [/HTML characters/, 'the way in which the characters <, > and & are written'],
  [/non-ASCII/, 'the way in which letters such as ş are written'],
  [/numbers/, 'the way in which its amounts are written'],
]

function whichOf(explanation: string): string {
  const isLossy = /JSON\.parse/.test(explanation)
  const words = isLossy ? [] : DIFFERENCES.filter(([sign]) => sign.test(explanation)).map(([, word]) => word)
  return words.length === 0
    ? 'the order of its fields, its numbers or the way in which its characters are written'
    : listText(words)
}

const VALID_RESULT = 'All is well: the signature is valid.'
const VALID_MEANS =
  'What this means: it was signed with the secret that we checked it with, and its body is, byte for byte, the one that was signed.'
const VALID_CHANGE = `For your developers, if your program refuses it: please compare four things there. It has to use the body exactly as it arrived, before any JSON is read. The key is the whole secret, including whsec_, without spaces or quotes. The text to sign is the time from the signature (after t=), a full stop, and the body. And it may be refused for its age only if it arrived more than ${SIGNATURE_TOLERANCE_SECONDS} seconds after that time.`

const paragraphs = (parts: readonly string[]) => `${parts.join('\n\n')}\n`

function checkedText(about: string): string {
  return `We checked the signature of the notification that you sent us${about}.`
}

/** Names the event. Ids and types that are not of the usual form may hold anything, and are left out. */
function aboutEvent(
  {event_id, type, timestamp}: CheckResult,
  eventIdHeader: string | readonly string[] | undefined,
): string {
  const [header = null] = [eventIdHeader ?? []].flat()
  const id = event_id ?? header
  const words = [
    id !== null && /^[\w-]{1,80}$/.test(id) && `event ${id}`,
    type !== null && isEventType(type) && `saying ${typeText(type)}`,
    timestamp !== null && timestamp < MOST_SECONDS && `signed on ${dateText(timestamp)}`,
  ].filter(word => word !== false)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

const MOST_SECONDS = 253_402_300_800

function timeText({reason, age_seconds: age}: CheckResult): string {
  if (reason !== 'timestamp_outside_tolerance' || age === null) return ''
  const side = age < 0 ? 'after' : 'before'
  return `It lies ${Math.abs(age)} seconds ${side} the time of the check; ${SIGNATURE_TOLERANCE_SECONDS} seconds are usual.`
}
