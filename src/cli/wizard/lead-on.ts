/** After a refusal: what it means for the person, and what of the answers is to be asked again. */
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {type Draft, SearchAgain} from './draft.js'

/** What says that this offer can be had no more, in the words of our services and of others. */
const OFFER_GONE = /offer|rooms?_|sold|availab|allotment|price|rate_(changed|expired)/i
const BALANCE = /balance|funds|credit|payment_required/i
const REFERENCE = /duplicate|reference/i

/**
 * Words to tell, after which the person is led on with everything else kept. Throws SearchAgain when only another offer
 * helps, and the error itself when nothing can be mended here: above all an outcome that is not known.
 */
export function leadOn(error: unknown, draft: Draft): string {
  if (!(error instanceof Failure)) throw error
  const {kind, message, details} = error
  const words = `${sanitizeLine(message, 400)}. Nothing was reserved.`
  if (kind === 'unreachable') return `\n${words} You can try again.`
  const isOurs = kind === 'usage' && /^(offer|reference)_in_use$/.test(details.code)
  if (kind !== 'refused' && !isOurs) throw error
  const {code, status} = details
  if (status === 402 || BALANCE.test(code)) {
    draft.payment = undefined
    return `\n${words} Choose another way to pay, or stop.`
  }
  if (REFERENCE.test(code)) {
    draft.reference = undefined
    return `\n${words} Give another booking reference.`
  }
  if (status === 410 || OFFER_GONE.test(code)) {
    throw new SearchAgain(`${words} Searching again for the same; guests and contact are kept.`)
  }
  return `\n${words}${details.hint === undefined ? '' : ` (${sanitizeLine(details.hint, 200)})`}`
}
