/** The contact: one kept on this machine, or a new one with the lead guest's name at hand. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Contact, Guest} from '../../../contract/reservations.js'
import type {People} from '../../../state/people-store.js'
import type {Fields} from '../../input/guests.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {askContact} from './ask-contact.js'

/** `people`: where earlier contacts are; undefined where nothing can be kept. `given`: as much as flags, file and settings say. */
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
          message: 'Contact: whom may the hotel reach?',
          choices: [
            ...kept.map(({details}) => ({value: details, name: describe(details)})),
            {value: 'new', name: 'Somebody new'},
          ],
        })
  if (picked !== 'new') return picked
  const {name = lead?.name, surname = lead?.surname, email, ...phone} = textsOf(given)
  return askContact(prompts, {
    ...{name, surname, email, country: lead?.nationality},
    phone: phone.phone_number && `${phone.phone_country_code ?? ''} ${phone.phone_number}`.trim(),
  })
}

/** Each was checked where it was read. */
function textsOf(fields: Fields): Partial<Contact> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

function describe({name, surname, email, phone_country_code: prefix, phone_number}: Contact): string {
  return sanitizeLine(`${name} ${surname}, ${email}, ${prefix} ${phone_number}`, 70)
}
