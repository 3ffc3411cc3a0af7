/** Turns what a tool returns or throws into a result of the protocol: `structuredContent`, and the same JSON as text. */
import type {CallToolResult} from '@modelcontextprotocol/server'
import type {Redactor} from '../../../api/redact/redact.js'
import {ERROR_CODES} from '../../../contract/error-codes.js'
import {type FailureKind, usage} from '../../../contract/failure.js'
import {isObject} from '../../../contract/json.js'
import {SEE_HELP} from '../../input/usage-errors.js'
import {asFailure, describeFailure} from '../../shell/exit-codes.js'
import {jsonText} from '../../terminal/json-text.js'
import {cutOrNull} from './cut-reservation.js'
import type {Answer} from './tool.js'
import {guarded} from './untrusted.js'

/** The most bytes of a result. A longer one would fill the memory of a model. */
const MOST_RESULT_BYTES = 100_000

/** Returns the result of a call that succeeded. Throws a usage error if it would be too long. */
export function resultOf({document, ownWords, added = {}, link}: Answer, redactor: Redactor): CallToolResult {
  const {document: safe, untrusted} = guarded(document, redactor, ownWords)
  const result = withText({...safe, ...added, untrusted_fields: untrusted})
  if (link === undefined) return result
  return {...result, content: [...result.content, {type: 'resource_link', ...link}]}
}

const CORRECT = 'correct the arguments and call it again'
/** What an assistant can do about an error without a hint of its own. Those of a command speak of its flags and its help. */
const HINTS: Partial<Record<FailureKind | 'unexpected', string>> = {
  usage: CORRECT,
  refused: 'change what the service objects to and call it again',
  service_failed: 'try again later, or tell the person',
  unreachable: 'try again later; a person can look with: bookctl doctor',
  pending: 'call it again later',
}
/** The arguments that tools have for flags of commands. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  '--city': 'city',
  '--check-in': 'check_in',
  '--check-out': 'check_out',
  '--nationality': 'client_nationality',
  '--currency': 'currency',
  '--max-price': 'max_price',
  '--board': 'board',
  '--sort': 'sort',
  '--contact': 'contact',
  '--guest': 'guests',
  '--pay': 'payment.mode',
  '--status': 'status',
  '--since': 'since',
  '--limit': 'limit',
  '--cursor': 'cursor',
}

/** Names the arguments of tools in a text in place of flags, unless it holds a command line, which is for a person. */
function withArguments(text: string): string {
  if (text.includes('bookctl ')) return text
  return text.replace(/(?<![\w-])--[a-z][a-z-]*/g, flag => ARGUMENTS[flag] ?? flag)
}

/** Returns the result of a call that failed, with the error as `--json` prints it. */
export function errorResult(thrown: unknown, redactor: Redactor): CallToolResult {
  const {error: ofCommand, ...rest} = describeFailure(thrown).document
  const {kind, details} = asFailure(thrown)
  const isOfCommand = details.hint === undefined || details.hint === SEE_HELP
  const hint = (isOfCommand && HINTS[kind]) || ofCommand.hint
  const isOfService = foreignPartsOf(thrown).includes('/error/message')
  const message = isOfService ? ofCommand.message : withArguments(ofCommand.message)
  const error = {...ofCommand, message, hint: withArguments(hint)}
  const {document, untrusted} = guarded(cutResult(details.code, rest), redactor)
  return {
    ...withText({error, ...document, untrusted_fields: [...foreignPartsOf(thrown), ...untrusted]}),
    isError: true,
  }
}

/** The errors whose result is another reservation, which must not look like the outcome of the call. */
const ABOUT_ANOTHER = ['offer_in_use', 'reference_in_use', 'idempotency_key_in_use']

/** Returns what an error says beside itself, without a key, and with its reservation cut as in every result. */
function cutResult(code: string, result: Readonly<Record<string, unknown>>): object {
  const {idempotency_key: _, ...rest} = result
  const cut = isObject(rest.reservation) ? {...rest, reservation: cutOrNull(rest.reservation)} : rest
  return ABOUT_ANOTHER.includes(code) && Object.keys(cut).length > 0 ? {other_reservation: cut} : cut
}

function withText(structuredContent: Record<string, unknown>): CallToolResult {
  const text = jsonText(structuredContent)
  if (Buffer.byteLength(text) > MOST_RESULT_BYTES)
    throw usage(
      'result_too_long',
      'the result is too long for an assistant',
      'ask for less, with a limit or a filter',
    )
  return {content: [{type: 'text', text}], structuredContent}
}

/** Words of this program for answers that are not as the interface says. */
const OWN_CODES = [
  'answer_not_understood',
  'bad_voucher',
  'bad_voucher_link',
  'list_incomplete',
  'no_voucher_link',
  'redirected',
  'voucher_not_ready',
]

/** Returns the pointers to those parts of an error in which words of the service are quoted. */
function foreignPartsOf(thrown: unknown): string[] {
  const {kind, details} = asFailure(thrown)
  if (kind === 'usage' || kind === 'unexpected') return []
  const isOurCode =
    details.status === undefined ||
    Object.hasOwn(ERROR_CODES, details.code) ||
    [kind, ...OWN_CODES].includes(details.code)
  return [
    ...(isOurCode ? [] : ['/error/code']),
    '/error/message',
    ...(details.reason === undefined ? [] : ['/error/cause']),
  ]
}
