/** Asks for the contact of a reservation (§2.4), and stores guests and contact on this machine if the person agrees. */
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Contact} from '../../../contract/reservations.js'
import type {People} from '../../../state/people-store.js'
import {createPhoneReader, type Phone} from '../../input/guests.js'
import type {Connection} from '../../session/connect.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {nameOf} from './ask-guests.js'
import type {Draft, WizardDesk} from './draft.js'
import {askName, askRead, contactText} from './questions.js'

/** `people`: where earlier contacts are stored, if they can be. */
export async function askContact(prompts: Prompts, draft: Draft, people?: People): Promise<Contact> {
  const {guests = [], contactFields} = draft
  const lead = guests.find(guest => guest.is_lead) ?? guests[0]
  const kept = people?.contacts() ?? []
  if (kept.length > 0) {
    const picked = await prompts.choose<Contact | 'new'>({
      message: 'Who should the hotel contact?',
      choices: [
        ...kept.map(({details: value}) => ({value, name: sanitizeLine(contactText(value), 70)})),
        {value: 'new', name: 'Another person'},
      ],
    })
    if (picked !== 'new') return picked
  }
  // Each was checked where it was read.
  const {phone_country_code: prefix = '', phone_number: number, ...known} = contactFields as Partial<Contact>
  // National numbers of the lead guest's country need no prefix.
  const read = await createPhoneReader(lead?.nationality)
  const name = await askName(prompts, 'Contact: first name', known.name ?? lead?.name)
  contactFields.name = name
  const surname = await askName(prompts, 'Contact: family name', known.surname ?? lead?.surname)
  contactFields.surname = surname
  const {contact} = await import('../../../contract/reservations.js')
  const email = await prompts.text({
    message: 'Contact: e-mail',
    default: known.email,
    check: typed => {
      if (contact.shape.email.safeParse(typed).success) return
      throw usage('invalid_input', 'must be an e-mail address such as ayse@example.com')
    },
  })
  contactFields.email = email
  const usual = number && `${prefix} ${number}`.trim()
  const question = {message: 'Contact: telephone, with country prefix', default: usual}
  const regions = new Intl.DisplayNames('en', {type: 'region'})
  const describe = ({phone_country_code, phone_number, country}: Phone) =>
    `${phone_country_code} ${phone_number}, ${country ? regions.of(country) : 'several countries'}`
  const {country: _, ...phone} = await askRead(prompts, question, read, describe)
  return {name, surname, email, ...phone}
}

/** The people stored for this client; undefined where nothing can be stored. */
export async function peopleHere({state, target}: Connection): Promise<People | undefined> {
  return state.writable ? (await state.people()).forClient(target) : undefined
}

/** Asked once, and only if a guest or the contact is not stored yet; identity numbers need a yes of their own. */
export async function askKeep(prompts: Prompts, draft: Draft, people: People) {
  const known = new Set(people.guests().map(({details}) => nameOf(details)))
  const contacts = new Set(people.contacts().map(({details}) => details.email))
  const isKnown = draft.guests?.every(guest => known.has(nameOf(guest))) ?? true
  if (isKnown && contacts.has(draft.contact?.email ?? '')) return 'nothing'
  return prompts.choose({
    message: 'Store these guests and the contact on this machine for the next booking?',
    default: 'nothing',
    choices: [
      {value: 'nothing', name: 'No'},
      {value: 'without identity', name: 'Yes, but not their identity numbers'},
      {value: 'everything', name: 'Yes, with their identity numbers'},
    ],
  })
}

/** Stores the people, if agreed, once the reservation is made; a failed write only warns. */
export async function keepPeople({connection, tell}: WizardDesk, draft: Draft): Promise<void> {
  const {keep, guests = [], contact} = draft
  if (keep === undefined || keep === 'nothing') return
  const kept = guests.map(({type: _, is_lead: __, identity, ...guest}) =>
    keep === 'everything' && identity ? {...guest, identity} : guest,
  )
  try {
    const people = await peopleHere(connection)
    people?.keep({guests: kept, ...(contact ? {contact} : {})}, connection.clock.now())
  } catch (error) {
    tell(`The guests could not be stored: ${(error as Error).message}`)
  }
}
