/** The contact: one kept on this machine, or a new one with the lead guest's name at hand. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {Contact, Guest} from '../../contract/reservations.js'
import type {People} from '../../state/people-store.js'
import type {Prompts} from '../prompts/prompts.js'
import {askContact} from './ask-contact.js'

/** `people`: where earlier contacts are; undefined where nothing can be kept. */
export async function askContactOrKept(
  prompts: Prompts,
  lead: Guest | undefined,
  people: People | undefined,
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
  return askContact(prompts, {name: lead?.name, surname: lead?.surname, country: lead?.nationality})
}

function describe({name, surname, email, phone_country_code: prefix, phone_number}: Contact): string {
  return sanitizeLine(`${name} ${surname}, ${email}, ${prefix} ${phone_number}`, 70)
}
