/**
 * Books a chosen offer: asks the open questions, shows the summary, asks for the only confirmation, sends, and handles
 * a refusal.
 */
import type {Money} from '../../../api/answers/amounts.js'
import {readBalance} from '../../../api/operations/account.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {IDENTIFIERS, isIdentifier} from '../../../contract/identifiers.js'
import {snakeCase} from '../../../contract/json.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {Guest} from '../../../contract/reservations.js'
import type {OfferFound} from '../../../contract/seen-offers.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {type Row, termsIn} from '../catalogue/offer-lines.js'
import type {Booked} from '../reserve/pipeline.js'
import {
  atWhatPrice,
  type ChargeAhead,
  chargeAhead,
  cityOf,
  contactText,
  describePlan,
  type Plan,
} from '../reserve/plan.js'
import {readTyped} from '../reserve/request.js'
import {askContact, askGuests, askKeep, keepPeople, ofGuest, peopleHere, placesOf} from './ask-people.js'
import {askRooms, lastSearch} from './ask-search.js'
import {
  type Chosen,
  type Draft,
  type GuestForm,
  inRounds,
  SearchAgain,
  startClock,
  type WizardDesk,
} from './draft.js'
import {askCountry} from './questions.js'

/** Messages of the questions whose refused answer is not offered again. */
const PAYMENT = 'Payment'
const REFERENCE = 'Your own booking reference'

/**
 * Asks the open questions, shows the summary and books. Throws SearchAgain if the offer expires or is gone, and a
 * Failure as `runWizard` does.
 */
export async function book(desk: WizardDesk, draft: Draft): Promise<Booked> {
  const chosen = draft.chosen as Chosen
  const {now} = desk.connection.clock
  const clock = chosen.seen && startClock(chosen.seen.expires_at, now, 'This offer')
  // Read only once, even if the questions are asked again.
  let balance: ReturnType<typeof readBalance> | undefined
  const readOnce = () => {
    balance ??= readBalance(desk.connection.api)
    return balance
  }
  const rounds = inRounds<Booked>(desk, draft, {
    clock,
    // If the offer was not chosen from a list, there is no question to go back to.
    leave: draft.lost && goToOffers,
    round: async (asked, changeNow) => {
      await askMissing(asked, draft, readOnce)
      return sendDraft(desk, draft, async plan => {
        const charge = await chargeAhead(plan, readOnce)
        desk.tell(describeSummary(plan, chosen, desk, charge))
        if (desk.flags['dry-run']) return true
        // The only confirmation. An existing reservation needs none, because it is only shown again.
        const message = `Reserve this now${atWhatPrice(plan, desk.connection.target, charge)}?`
        const isSettled = plan.standing?.kind === 'resolved'
        if (!desk.flags.yes && !isSettled && !(await asked.prompts.confirm({message}))) {
          await changeNow()
          return false
        }
        desk.tell('Reserving…')
        draft.isOver = true
        return true
      })
    },
    change: ({prompts}) => {
      balance = undefined
      return askChange(prompts, draft)
    },
  })
  return rounds.finally(() => clock?.stop())
}

function goToOffers(): never {
  throw new SearchAgain('Back to the offers; your answers about guests and contact are kept.')
}

async function askMissing(desk: WizardDesk, draft: Draft, balance: () => ReturnType<typeof readBalance>) {
  const {connection, today, prompts} = desk
  const seen = draft.chosen?.seen
  const people = await peopleHere(connection)
  draft.nationality ??= await askCountry(prompts, 'Nationality used in the search', [
    (await lastSearch(connection))?.nationality,
    desk.flags.preferred?.nationality,
  ])
  draft.places ??= placesOf(await askRooms(prompts))
  const asking = {prompts, people, checkIn: seen?.check_in, today, nationality: draft.nationality}
  draft.guests = await askGuests(asking, draft.places, draft.forms)
  draft.contact ??= await askContact(prompts, draft, people)
  draft.payment ??= await askPayment(prompts, seen, await balance())
  draft.reference ??= await prompts.text({
    message: REFERENCE,
    empty: 'generated',
    check: typed => {
      if (typed === '' || isIdentifier('client_reference_id', typed)) return
      throw usage('invalid_input', `must be ${IDENTIFIERS.client_reference_id.expected}`)
    },
  })
  draft.keep ??= people ? await askKeep(prompts, draft, people) : 'nothing'
}

/**
 * Plans the reservation from the answers and sends it if `agree` returns true. Returns undefined if something must be
 * changed first. Throws what `book` throws.
 */
async function sendDraft(
  desk: WizardDesk,
  draft: Draft,
  agree: (plan: Plan) => Promise<boolean>,
): Promise<Booked | undefined> {
  const {pipeline, tell, today} = desk
  const input = {
    client_nationality: draft.nationality,
    contact: draft.contact,
    guests: draft.guests?.map(guest => ({...guest, nationality: guest.nationality ?? draft.nationality})),
    payment: {mode: draft.payment},
    client_reference_id: draft.reference || undefined,
  }
  try {
    const typed = await readTyped(draft.chosen?.offerId, {}, {input, day: today})
    const booked = await pipeline.book(typed, agree)
    if (booked?.booking) await keepPeople(desk, draft)
    return booked
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const {kind, details, message} = error
    if (kind === 'usage' && details.code === 'offer_expired')
      throw new SearchAgain(`${message}: searching again.`)
    // Stored, so that the user need not type them again after a new login.
    if (kind === 'not_allowed') await keepPeople(desk, draft)
    if (kind === 'refused' && details.status !== undefined) pipeline.stop.refused()
    if (await wantsAnother(desk, error)) {
      draft.reference = undefined
      draft.answers.delete(REFERENCE)
    } else tell(recoverFrom(error, draft))
    draft.isOver = false
    return undefined
  }
}

/**
 * Reports that a reservation already has this reference, and asks whether to make a second one with another reference.
 */
async function wantsAnother({prompts, tell}: WizardDesk, {message, details}: Failure): Promise<boolean> {
  const {reservation_ref: booked = null} = (details.result ?? {}) as {reservation_ref?: string | null}
  if (details.code !== 'reference_in_use' || booked === null) return false
  tell(`\n${sanitizeLine(message, 400)}. Nothing was sent.`)
  return prompts.confirm({message: 'Make a second booking, under another booking reference?'})
}

/**
 * Asks what to change. Throws SearchAgain if the user wants another offer, and a usage error `not_confirmed` if the
 * user stops.
 */
async function askChange(prompts: Prompts, draft: Draft): Promise<void> {
  // A refused payment or reference is asked for again anyway.
  if (draft.payment === undefined || draft.reference === undefined) return
  const change = await prompts.choose({
    message: 'What do you want to change?',
    choices: [
      {value: 'nothing', name: 'Nothing; show the summary again'},
      {value: 'guests', name: 'Change a guest'},
      {value: 'contact', name: 'Change the contact'},
      {value: 'payment', name: 'Change the payment'},
      {value: 'reference', name: 'Change the booking reference'},
      {value: 'offer', name: 'Choose another offer, or change the search'},
      {value: 'stop', name: 'Stop; nothing is sent'},
    ],
  })
  if (change === 'stop')
    throw usage('not_confirmed', 'not confirmed; nothing was sent', 'to book, run bookctl reserve again')
  if (change === 'offer') goToOffers()
  if (change === 'guests') await changeGuest(prompts, draft)
  else if (change !== 'nothing') draft[change] = undefined
}

async function changeGuest(prompts: Prompts, draft: Draft): Promise<void> {
  const names = draft.forms.map(({name = '', surname = ''}) => sanitizeLine(`${name} ${surname}`, 60))
  const choices = names.map((name, value) => ({value, name}))
  const index = await prompts.choose({message: 'Which guest?', choices})
  const form = draft.forms[index] ?? {}
  const field = await prompts.choose<keyof GuestForm | 'all'>({
    message: 'Which field?',
    choices: [
      {value: 'name', name: 'First name'},
      {value: 'surname', name: 'Family name'},
      {value: 'birth_date', name: 'Birth date'},
      {value: 'gender', name: 'Gender'},
      {value: 'nationality', name: 'Nationality'},
      {value: 'identity', name: 'Identity document'},
      {value: 'all', name: 'All of it: another guest'},
    ],
  })
  if (field === 'all') {
    draft.forms[index] = {}
    const {answers, places} = draft
    const place = places?.[index]
    for (const message of [...answers.keys()])
      if (place && message.startsWith(ofGuest(place))) answers.delete(message)
  } else delete form[field]
}

/** Reports whether the balance is certainly too low: in the same currency as the cost, and less. */
export function isTooLittle(balance?: Money, cost?: Pick<OfferFound, 'total' | 'currency'>): boolean {
  if (!balance?.currency || !cost?.total || !isAmount(cost.total)) return false
  return balance.currency === cost.currency && compareAmounts(balance.amount, cost.total) < 0
}

export async function askPayment(prompts: Prompts, offer?: OfferFound, balance?: Money) {
  const charge = offer?.details?.charge
  const cost = charge ? {total: charge.amount, currency: charge.currency} : offer
  const isShort = isTooLittle(balance, cost)
  const words = isShort ? ': NOT ENOUGH; use the payment page' : ' available'
  const funds = balance ? `${moneyText(balance)}${words}` : 'balance unknown'
  const account = {value: 'account' as const, name: `From the account balance (${funds})`}
  const instant = {value: 'instant' as const, name: 'By the customer, on a payment page (card)'}
  const both = isShort ? [instant, account] : [account, instant]
  const modes = termsIn(offer).paymentModes
  const taken = both.filter(({value}) => modes?.includes(value) ?? true)
  return prompts.choose({message: PAYMENT, choices: taken.length > 0 ? taken : both})
}

function describeSummary(
  plan: Plan,
  {seen}: Chosen,
  {connection}: WizardDesk,
  charge: ChargeAhead | undefined,
): string {
  const {request, doubts} = plan
  const people: Row[] = [
    ...request.guests.map((guest, index) => [index === 0 ? 'Guests' : '', guestText(guest)] as const),
    ['Contact', contactText(request.contact)],
  ]
  const lines = describePlan({...plan, seen}, connection.target, {
    people,
    charge,
    city: cityOf(seen, connection),
  })
  return ['', ...lines, ...doubts.map(doubt => `Warning: ${sanitizeLine(doubt)}`)].join('\n')
}

function guestText({name, surname, type, birth_date, nationality, identity, is_lead}: Guest): string {
  const facts = [
    type === 'ADULT' ? '' : type.toLowerCase(),
    birth_date && `born ${birth_date}`,
    nationality,
    identity && `${identity.type} ${identity.number}`,
    is_lead && 'leads',
  ]
  return [`${name} ${surname}`, ...facts.filter(Boolean)].join(', ')
}

/** Matches words of an error code that mean the offer: `room_sold_out`, but not `invalid_room_occupancy`. */
const OFFER_WORDS = /(^|_)(offer|offers|rate|rates|tariff|price|prices|allotment|sold)(_|$)/
const GONE_WORDS = /(^|_)(gone|unavailable|sold_out|not_available|no_availability|availability|expired)(_|$)/
const BALANCE_WORDS = /(^|_)(balance|funds|credit|payment_required)(_|$)/
const ANSWER_WORDS =
  /(^|_)(guest|guests|occupancy|contact|email|phone|identity|passport|birth|age|nationality)(_|$)/

/**
 * Returns the message to print before the wizard continues. Throws SearchAgain if only another offer helps. Throws the
 * Failure if no answer helps, above all if a reservation may exist, which must be checked before another booking.
 */
export function recoverFrom(error: Failure, draft: Draft): string {
  const {kind, message, details} = error
  const {code, result} = details
  if (code === 'offer_in_use' || code === 'busy' || (result && 'reservation_ref' in result)) throw error
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

/**
 * Returns what to change after a refusal. Decided by the refused fields if all concern the same part, otherwise by the
 * words of the code, otherwise by the status.
 */
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
  // A conflict needs a new search, which shows the current price; the old price is not offered again.
  const isOffer = status === 410 || OFFER_WORDS.test(word) || GONE_WORDS.test(word)
  return isOffer ? 'offer' : 'answers'
}
