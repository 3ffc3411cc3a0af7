/** After a refusal: what it means for the person, and which questions are asked again. */
import {Failure} from '../../../contract/failure.js'
import {snakeCase} from '../../../contract/field-names.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {type Draft, PAYMENT, REFERENCE, SearchAgain} from './draft.js'

/** Words of codes, whole ones: `invalid_room_occupancy` is about guests, `room_sold_out` about the room. */
const OFFER_WORDS = /(^|_)(offer|offers|rate|rates|tariff|price|prices|allotment|sold)(_|$)/
const GONE_WORDS = /(^|_)(gone|unavailable|sold_out|not_available|no_availability|availability|expired)(_|$)/
const BALANCE_WORDS = /(^|_)(balance|funds|credit|payment_required)(_|$)/
const ANSWER_WORDS =
  /(^|_)(guest|guests|occupancy|contact|email|phone|identity|passport|birth|age|nationality)(_|$)/

/**
 * The message to print before the wizard continues. Throws SearchAgain when only another offer helps, and a Failure when no
 * answer does: above all when a reservation may exist, which must be checked before booking again.
 */
export function recoverFrom(error: Failure, draft: Draft): string {
  const {kind, message, details} = error
  const {code, result} = details
  if (code === 'offer_in_use' || code === 'busy' || (result && 'reservation_ref' in result)) throw error
  if (code === 'reference_in_use') {
    draft.reference = undefined
    draft.answers.delete(REFERENCE)
    return `\n${sanitizeLine(message, 400)}. Nothing was sent. Enter another booking reference.`
  }
  if (kind === 'not_allowed') throw new Failure(kind, `${message}; nothing was reserved`, details)
  const words = `${sanitizeLine(message, 400)}. Nothing was reserved.`
  if (kind === 'unreachable') return `\n${words} You can try again.`
  if (kind !== 'refused') throw error
  const remedy = remedyOf(error)
  if (remedy === 'payment') {
    draft.payment = undefined
    draft.answers.delete(PAYMENT)
    return `\n${words} Choose another payment, or stop.`
  }
  if (remedy === 'offer') {
    throw new SearchAgain(`${words} Searching again; your answers about guests and contact are kept.`)
  }
  return `\n${words}${details.hint === undefined ? '' : ` (${sanitizeLine(details.hint, 200)})`}`
}

/** By the refused fields, of which all must be about it; else by words of the code, else by the status. */
function remedyOf({details: {code, status, fields = []}}: Failure): 'offer' | 'payment' | 'answers' {
  const word = snakeCase(code)
  if (word === 'rate_limited') return 'answers'
  if (fields.length > 0) {
    const roots = fields.map(field => snakeCase(field).replace(/^\W*(body|data|request)\W+/, ''))
    if (roots.every(root => /^payment/.test(root))) return 'payment'
    return roots.every(root => /^(offer|price)/.test(root)) ? 'offer' : 'answers'
  }
  if (status === 402 || BALANCE_WORDS.test(word)) return 'payment'
  if (ANSWER_WORDS.test(word)) return 'answers'
  // Only a new search shows what conflicted; the old price is not offered again.
  const isOffer = status === 409 || status === 410 || OFFER_WORDS.test(word) || GONE_WORDS.test(word)
  return isOffer ? 'offer' : 'answers'
}
