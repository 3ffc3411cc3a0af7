/** The command lines that go on with the answers given so far, for a person who stopped the wizard. No credential is in them. */
import {shellWord} from '../../../contract/foreign-text.js'
import type {Contact} from '../../../contract/reservations.js'
import type {ReserveFlags} from '../reserve/flags.js'
import type {GuestForm, Place} from './ask-guests.js'
import {commandOf, maximumWords, searchingLines} from './ask-search.js'
import type {Draft} from './draft.js'

/** Empty when nothing was answered. Identity numbers are in it: the person typed them here, and would have to again. */
export function resumingLines(draft: Draft, flags: ReserveFlags): string[] {
  const {chosen, answers, forms, contact} = draft
  if (answers.size === 0) return []
  const search = {...draft.search, 'max-price': flags['max-price']}
  const reserve = `  ${reserveCommand(draft, flags)}`
  if (!chosen) {
    const searching = searchingLines(search, flags.service)
    const knowsPeople = contact !== undefined || forms.some(form => form.name)
    return knowsPeople ? [...searching, 'Then, with the id of an offer:', reserve] : searching
  }
  const offer = ['To go on with these answers, while the offer is valid:', reserve]
  if (search.city === undefined) return offer
  return [...offer, 'To search again:', `  ${commandOf(search, flags.service)}`]
}

function reserveCommand(draft: Draft, flags: ReserveFlags): string {
  const {chosen, places = [], forms, contact, contactFields, nationality, payment, reference} = draft
  const {name, surname, email, phone_country_code, phone_number} =
    contact ?? (contactFields as Partial<Contact>)
  const given: readonly (readonly [flag: string, value: string | undefined])[] = [
    ['--nationality', nationality],
    ...places.map((place, index) => ['--guest', guestText(place, forms[index] ?? {})] as const),
    ['--contact', pairs({name, surname, email, phone_country_code, phone_number})],
    ['--pay', payment],
    ['--client-reference', reference],
    ['--idempotency-key', flags['idempotency-key']],
  ]
  const words = [
    ...given.flatMap(([flag, value]) => (value ? [flag, shellWord(value)] : [])),
    ...maximumWords(flags['max-price']),
    // A trial stays one. A consent is for the moment in which it is given: --yes is never repeated.
    ...(flags['dry-run'] ? ['--dry-run'] : []),
    ...(flags.wait === undefined ? [] : [`--wait=${flags.wait}`]),
    ...(flags.open ? ['--open'] : []),
    ...(flags.service ?? []),
  ]
  const offer = chosen ? shellWord(chosen.offerId) : 'OFFER_ID'
  return ['bookctl reserve', offer, ...words].join(' ')
}

/** With its type at least, so that a guest who was not answered for yet is asked for again. */
function guestText({type, isLead}: Place, {identity, ...form}: GuestForm): string {
  const {name, surname, birth_date, gender, nationality} = form
  const number = identity ? {'identity.type': identity.type, 'identity.number': identity.number} : {}
  const lead = isLead ? {is_lead: 'true'} : {}
  return pairs({type, name, surname, birth_date, gender, nationality, ...number, ...lead})
}

/** As `--guest` and `--contact` read it. */
function pairs(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value ? `${name}=${value.replace(/[\\,]/g, '\\$&')}` : []))
    .join(',')
}
