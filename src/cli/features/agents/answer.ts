/** Turns what a tool returns or throws into a result of the protocol: `structuredContent`, and the same JSON as text. */
import type {CallToolResult} from '@modelcontextprotocol/server'
import type {Redactor} from '../../../api/redact/redact.js'
import {ERROR_CODES} from '../../../contract/error-codes.js'
import {usage} from '../../../contract/failure.js'
import {isObject} from '../../../contract/json.js'
import {asFailure, describeFailure} from '../../shell/exit-codes.js'
import {jsonText} from '../../terminal/json-text.js'
import {cutOrNull} from './reservation-tools.js'
import type {Answer} from './tool.js'
import {guarded} from './untrusted.js'

/** The most bytes of a result. A longer one would fill the memory of a model. */
const MOST_RESULT_BYTES = 100_000

/** Returns the result of a call that succeeded. Throws a usage error if it would be too long. */
export function resultOf({document, ownWords, ours = {}, link}: Answer, redactor: Redactor): CallToolResult {
  const {document: safe, untrusted} = guarded(document, redactor, ownWords)
  const result = withText({...safe, ...ours, untrusted_fields: untrusted})
  if (link === undefined) return result
  return {...result, content: [...result.content, {type: 'resource_link', ...link}]}
}

const CORRECT = 'correct the arguments and call it again'

/** Returns the result of a call that failed, with the error as `--json` prints it. */
export function errorResult(thrown: unknown, redactor: Redactor): CallToolResult {
  const {error: ofCommand, ...rest} = describeFailure(thrown).document
  const {kind, details} = asFailure(thrown)
  // The hint of a command without one speaks of its help.
  const isOwnMistake = kind === 'usage' && details.hint === undefined
  const error = isOwnMistake ? {...ofCommand, hint: CORRECT} : ofCommand
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
