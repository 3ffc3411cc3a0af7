/**
 * Asks for the guests of every room, the lead guest first, and for the contact (§2.4). Offers people stored on this
 * machine as choices.
 */
import {ageOn} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Room} from '../../../contract/hotels.js'
import {isTcNumber} from '../../../contract/identifiers.js'
import type {Contact, Guest} from '../../../contract/reservations.js'
import type {Kept, KeptGuest, People} from '../../../state/people-store.js'
import {checkBirthDate, PAST_DATE_FORMS, readDay} from '../../input/dates.js'
import {createPhoneReader, type Phone} from '../../input/guests.js'
import type {Connection} from '../../session/connect.js'
import {counted, withWeekday} from '../../terminal/dates-and-amounts.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {contactText} from '../reserve/plan.js'
import type {Draft, GuestForm, Place, WizardDesk} from './draft.js'
import {askCountry, askName, askRead, askWords} from './questions.js'

/** Returns the places of all rooms, in the order in which guests are sent: room by room, adults before children. */
export function placesOf(rooms: readonly Room[]): Place[] {
  const places = rooms.flatMap(({adults, children_ages: ages}, index) => {
    const place = (type: 'ADULT' | 'CHILD', n: number, count: number, age?: number) => {
      const word = type === 'ADULT' ? 'Adult' : 'Child'
      const numbered = count === 1 ? word : `${word} ${n + 1}`
      const label = rooms.length > 1 ? `Room ${index + 1}, ${numbered.toLowerCase()}` : numbered
      return {type, age, label: age === undefined ? label : `${label} (aged ${age})`}
    }
    return [
      ...Array.from({length: adults}, (_, n) => place('ADULT', n, adults)),
      ...ages.map((age, n) => place('CHILD', n, ages.length, age)),
    ]
  })
  return places.map(({label, ...place}, index) => {
    const isLead = index === 0
    return {...place, label: isLead ? `${label} (leads)` : label, isLead}
  })
}

/** Asks for the guest of every place. `forms` stores the answers. */
export async function askGuests(desk: GuestDesk, places: readonly Place[], forms: GuestForm[]) {
  const guests: Guest[] = []
  for (const [index, place] of places.entries()) {
    forms[index] ??= {}
    const form = forms[index]
    const isEmpty = Object.values(form).every(value => value === undefined)
    if (isEmpty) Object.assign(form, await askKept(desk, place, forms))
    guests.push(await askGuest(desk, place, form))
  }
  return guests
}

/**
 * Lets the user choose a stored guest and returns the details; empty for a new guest. Guests whose age does not fit are
 * listed last, so that Enter never chooses one.
 */
async function askKept(desk: GuestDesk, place: Place, forms: readonly GuestForm[]): Promise<GuestForm> {
  const {prompts, people} = desk
  for (;;) {
    const named = forms.map(nameOf)
    const kept = people?.guests().filter(({details}) => !named.includes(nameOf(details))) ?? []
    if (!people || kept.length === 0) return {}
    const choices = kept.map(guest => {
      const {name, surname, birth_date} = guest.details
      // Whether the stored birth date does not fit the age of the place.
      const isUnlikely =
        birth_date === undefined
          ? place.type !== 'ADULT'
          : doubtAge(birth_date, place, desk.checkIn ?? desk.today) !== undefined
      const doubt = isUnlikely ? ' (age does not match)' : ''
      const born = birth_date === undefined ? '' : `, born ${birth_date}${doubt}`
      return {value: guest, name: `${sanitizeLine(`${name} ${surname}`, 60)}${born}`, isUnlikely}
    })
    const picked = await prompts.choose<Kept<KeptGuest> | 'new' | 'forget'>({
      message: `${ofGuest(place)}who is it?`,
      choices: [
        ...choices.filter(({isUnlikely}) => !isUnlikely),
        {value: 'new', name: 'Another person'},
        ...choices.filter(({isUnlikely}) => isUnlikely),
        {value: 'forget', name: 'Remove a guest stored on this machine'},
      ],
    })
    if (picked === 'new') return {}
    if (picked !== 'forget') return {...picked.details}
    await forgetPeople(prompts, people)
  }
}

function nameOf({name, surname, birth_date = ''}: GuestForm): string {
  return [name, surname, birth_date].join('\n')
}

async function forgetPeople(prompts: Prompts, people: People): Promise<void> {
  const choiceOf = ({id, details}: Kept<Pick<KeptGuest, 'name' | 'surname'>>, what: string) => ({
    value: id,
    name: sanitizeLine(`${details.name} ${details.surname}, ${what}`, 60),
  })
  const picked = await prompts.choose<number | 'all' | 'none'>({
    message: 'Which guest or contact do you want to remove?',
    choices: [
      ...people.guests().map(guest => choiceOf(guest, 'guest')),
      ...people.contacts().map(contact => choiceOf(contact, 'contact')),
      {value: 'all', name: 'All stored guests and contacts'},
      {value: 'none', name: 'None, go back'},
    ],
    default: 'none',
  })
  if (picked !== 'none') people.forget(picked)
}

export const ofGuest = ({label}: Place) => `${label}: `

interface GuestDesk {
  readonly prompts: Prompts
  /** Undefined if the offer was not found by a search on this machine. */
  readonly checkIn: string | undefined
  readonly today: string
  readonly nationality: string
  /** The stored people; undefined if nothing can be stored. */
  readonly people: People | undefined
}

/**
 * Age from which on a guest is an adult. The interface does not state it, but the ages of children in §2.2 end at 17.
 */
const ADULT_AGE = 18

async function askGuest(desk: GuestDesk, place: Place, form: GuestForm): Promise<Guest> {
  const {prompts} = desk
  const about = ofGuest(place)
  form.name ??= await askName(prompts, `${about}first name`)
  form.surname ??= await askName(prompts, `${about}family name`)
  form.birth_date ??= await askBirthDate(desk, place)
  form.gender ??= await askGender(prompts, about)
  form.nationality ??= await askCountry(prompts, `${about}nationality`, [desk.nationality])
  const {name, surname, birth_date, gender, nationality} = form
  if (form.identity === undefined) form.identity = await askIdentity(prompts, about, nationality)
  return {
    type: place.type,
    name,
    surname,
    birth_date: birth_date || undefined,
    gender: gender || undefined,
    nationality: nationality || undefined,
    identity: form.identity ?? undefined,
    is_lead: place.isLead,
  }
}

async function askBirthDate({prompts, checkIn, today}: GuestDesk, place: Place): Promise<string> {
  const read = (field: string, typed: string) =>
    checkBirthDate(field, readDay(field, typed, today, PAST_DATE_FORMS), today)
  const when = checkIn === undefined ? 'today' : 'at check-in'
  const ageWords = (date: string) =>
    `${withWeekday(date)}, ${counted(ageOn(date, checkIn ?? today), 'year')} old ${when}`
  for (;;) {
    const message = `${ofGuest(place)}birth date (YYYY-MM-DD)`
    const birthDate = await askRead(prompts, {message}, read, ageWords)
    const doubt = doubtAge(birthDate, place, checkIn)
    const asked = {message: `${doubt} Keep it?`, about: message}
    if (doubt === undefined || (await prompts.confirm(asked))) return birthDate
  }
}

function doubtAge(birthDate: string, place: Place, checkIn: string | undefined): string | undefined {
  const isAdult = place.type === 'ADULT'
  if (checkIn === undefined || (!isAdult && place.age === undefined)) return undefined
  const age = ageOn(birthDate, checkIn)
  const searched = isAdult ? 'an adult' : `a child of ${place.age}`
  const fits = isAdult ? age >= ADULT_AGE : age === place.age
  if (fits) return undefined
  return `The guest is ${age} at check-in, but the room was searched for ${searched}: the service may refuse it.`
}

/**
 * Asks for the gender, in the words that the service reads. The interface shows only one of them, so any other can be
 * typed.
 */
async function askGender(prompts: Prompts, about: string): Promise<string> {
  const chosen = await prompts.choose({
    message: `${about}gender`,
    choices: [
      {value: 'FEMALE', name: 'Female'},
      {value: 'MALE', name: 'Male'},
      {value: '', name: 'Other (type it)'},
    ],
  })
  return chosen || (await askWords(prompts, `${about}gender, as the service writes it`))
}

async function askIdentity(
  prompts: Prompts,
  about: string,
  nationality: string,
): Promise<Guest['identity'] | null> {
  const tc = {value: 'TC', name: 'Turkish identity number (TC)'}
  const passport = {value: 'PASSPORT', name: 'Passport'}
  const chosen = await prompts.choose({
    message: `${about}identity document`,
    choices: [
      ...(nationality === 'TR' ? [tc, passport] : [passport, tc]),
      {value: 'other', name: 'Another document'},
      {value: 'none', name: 'None'},
    ],
  })
  if (chosen === 'none') return null
  if (chosen === 'TC') return {type: 'TC', number: await askTcNumber(prompts, about)}
  const type = chosen === 'PASSPORT' ? chosen : await askWords(prompts, `${about}kind of document, one word`)
  return {type, number: await askWords(prompts, `${about}number of the document`)}
}

async function askTcNumber(prompts: Prompts, guest: string): Promise<string> {
  for (;;) {
    const about = `${guest}TC number`
    const typed = await prompts.text({
      message: about,
      check: text => {
        if (digitsOf(text).length !== 11 || /\p{L}/u.test(text))
          throw usage('invalid_input', 'must be a TC number, which has 11 digits')
      },
      hint: text => (isTcNumber(digitsOf(text)) ? 'valid' : 'not valid: the checksum fails'),
    })
    const number = digitsOf(typed)
    if (isTcNumber(number)) return number
    const message =
      'The checksum of this TC number is wrong: probably mistyped; the service may refuse it. Keep it?'
    if (await prompts.confirm({message, about})) return number
  }
}

function digitsOf(typed: string): string {
  return typed.replace(/\D/g, '')
}

/** Asks for the contact. `people` has the stored contacts; undefined if nothing can be stored. */
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
  // The fields were checked when they were read.
  const {phone_country_code: prefix = '', phone_number: number, ...known} = contactFields as Partial<Contact>
  // A number in the lead guest's country needs no prefix.
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

/** Returns the people stored for this client; undefined if nothing can be stored. */
export async function peopleHere({state, target}: Connection): Promise<People | undefined> {
  return state.writable ? (await state.people()).forClient(target) : undefined
}

/**
 * Asks whether to store the guests and the contact, unless all are stored already. Identity numbers are stored only if
 * the user chooses that.
 */
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

/** Stores the people after the reservation was made, if the user agreed. If storing fails, only warns. */
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
