/** Asks for the contact of a reservation (§2.4): a stored one, or a new one. */
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Contact, Guest} from '../../../contract/reservations.js'
import type {People} from '../../../state/people-store.js'
import type {Fields} from '../../input/guests.js'
import {createPhoneReader, type Phone} from '../../input/phone.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {askRead, contactText} from './questions.js'

/** `country`: ISO 3166-1; its national numbers need no prefix. */
type ContactDefaults = {
  readonly [name in 'name' | 'surname' | 'email' | 'phone' | 'country']?: string | undefined
}

export async function askContact(prompts: Prompts, defaults: ContactDefaults): Promise<Contact> {
  const read = await createPhoneReader(defaults.country, 'phone')
  const name = await askName(prompts, 'Contact: first name', defaults.name)
  const surname = await askName(prompts, 'Contact: family name', defaults.surname)
  const {contact} = await import('../../../contract/reservations.js')
  const email = await prompts.text({
    message: 'Contact: e-mail',
    default: defaults.email,
    check: typed => {
      if (contact.shape.email.safeParse(typed).success) return
      throw usage('invalid_input', 'must be an e-mail address such as ayse@example.com')
    },
  })
  const question = {message: 'Contact: telephone, with country prefix', default: defaults.phone}
  const {phone_country_code, phone_number} = await askRead(prompts, question, read, describePhone)
  return {name, surname, email, phone_country_code, phone_number}
}

/** Asks for a name in any script. Digits are queried: a number typed one question too early would be booked as a name. */
export async function askName(
  prompts: Prompts,
  message: string,
  suggested: string | undefined,
): Promise<string> {
  for (;;) {
    const name = await askWords(prompts, message, suggested)
    if (!/\p{N}/u.test(name)) return name
    const doubt = `${sanitizeLine(name, 40)} contains digits. Keep it as a name?`
    if (await prompts.confirm({message: doubt, about: message})) return name
  }
}

export function askWords(prompts: Prompts, message: string, suggested: string | undefined): Promise<string> {
  return prompts.text({
    message,
    default: suggested,
    check: typed => {
      if (typed.trim() === '') throw usage('invalid_input', 'must not be empty')
      if (/[\p{Cc}\p{Cf}]/u.test(typed)) throw usage('invalid_input', 'must not contain invisible characters')
    },
  })
}

function describePhone({phone_country_code, phone_number, country}: Phone): string {
  const name =
    country === undefined ? 'several countries' : new Intl.DisplayNames('en', {type: 'region'}).of(country)
  return `${phone_country_code} ${phone_number}, ${name}`
}

/** `people`: where earlier contacts are stored, if they can be; `given`: what flags, file and settings say. */
export async function askContactOrKept(
  prompts: Prompts,
  lead: Guest | undefined,
  people: People | undefined,
  given: Fields = {},
): Promise<Contact> {
  const kept = people?.contacts() ?? []
  const picked =
    kept.length === 0
      ? 'new'
      : await prompts.choose<Contact | 'new'>({
          message: 'Who should the hotel contact?',
          choices: [
            ...kept.map(({details: value}) => ({value, name: sanitizeLine(contactText(value), 70)})),
            {value: 'new', name: 'Another person'},
          ],
        })
  if (picked !== 'new') return picked
  // Each was checked where it was read.
  const {name = lead?.name, surname = lead?.surname, email, ...phone} = given as Partial<Contact>
  return askContact(prompts, {
    ...{name, surname, email, country: lead?.nationality},
    phone: phone.phone_number && `${phone.phone_country_code ?? ''} ${phone.phone_number}`.trim(),
  })
}
