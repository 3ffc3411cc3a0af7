/** After a refusal: what it means for the person, and what of the answers is to be asked again. */
import {snakeCase} from '../../api/field-names.js'
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {type Draft, SearchAgain} from './draft.js'

/** What says that this offer can be had no more, or no more at its price, in the words of our services and of others. */
const OFFER_GONE = /offer|rooms?_|sold|availab|allotment|price|rate_|tariff/
const BALANCE = /balance|funds|credit|payment_required/

/**
 * Words to tell, after which the person is led on with everything else kept. Throws SearchAgain when only another offer
 * helps, and a Failure when nothing can be mended here: above all an outcome that is not known, and a reservation that
 * is there already, after which nothing may be booked without the person having looked.
 */
export function leadOn(error: unknown, draft: Draft): string {
  if (!(error instanceof Failure)) throw error
  const {kind, message, details} = error
  const {code, status, result} = details
  if (code === 'offer_in_use' || code === 'busy' || namesReservation(result)) throw error
  if (code === 'reference_in_use') {
    draft.reference = undefined
    return `\n${sanitizeLine(message, 400)}. Nothing was sent. Give another booking reference.`
  }
  if (kind === 'not_allowed') throw new Failure(kind, `${message}; nothing was reserved`, details)
  const words = `${sanitizeLine(message, 400)}. Nothing was reserved.`
  if (kind === 'unreachable') return `\n${words} You can try again.`
  if (kind !== 'refused') throw error
  const word = snakeCase(code)
  if (status === 402 || BALANCE.test(word)) {
    draft.payment = undefined
    return `\n${words} Choose another way to pay, or stop.`
  }
  // What stood in conflict with the offer is told by a new search alone: its old price is not offered once more.
  if (status === 409 || status === 410 || OFFER_GONE.test(word)) {
    throw new SearchAgain(`${words} Searching again for the same; guests and contact are kept.`)
  }
  return `\n${words}${details.hint === undefined ? '' : ` (${sanitizeLine(details.hint, 200)})`}`
}

function namesReservation(result: object | undefined): boolean {
  return result !== undefined && 'reservation_ref' in result
}
