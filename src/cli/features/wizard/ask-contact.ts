/** Asks for the contact of a reservation (§2.4), with the lead guest's name at hand. */
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Contact} from '../../../contract/reservations.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {createPhoneReader, type Phone} from './phone.js'
import {hintOf, plainly} from './questions.js'

export interface ContactDefaults {
  readonly name?: string | undefined
  readonly surname?: string | undefined
  readonly email?: string | undefined
  readonly phone?: string | undefined
  /** ISO 3166-1: whose national numbers need no prefix. */
  readonly country?: string | undefined
}

export async function askContact(prompts: Prompts, defaults: ContactDefaults): Promise<Contact> {
  const read = await createPhoneReader(defaults.country)
  const name = await askName(prompts, 'Contact: first name', defaults.name)
  const surname = await askName(prompts, 'Contact: family name', defaults.surname)
  const email = await prompts.text({
    message: 'Contact: e-mail',
    ...(defaults.email === undefined ? {} : {default: defaults.email}),
    check: await emailCheck(),
  })
  const phone = await prompts.text({
    message: 'Contact: telephone, with country prefix',
    ...(defaults.phone === undefined ? {} : {default: defaults.phone}),
    check: plainly(read),
    hint: hintOf(read, describePhone),
  })
  const {phone_country_code, phone_number} = read(phone)
  return {name, surname, email, phone_country_code, phone_number}
}

/** A name in any letters. */
/** A number typed a question too early would be booked as a name. */
export async function askName(
  prompts: Prompts,
  message: string,
  suggested: string | undefined,
): Promise<string> {
  for (;;) {
    const name = await askWords(prompts, message, suggested)
    if (!/\p{N}/u.test(name)) return name
    if (await prompts.confirm({message: `There are digits in ${sanitizeLine(name, 40)}. Keep it as a name?`}))
      return name
  }
}

export function askWords(prompts: Prompts, message: string, suggested: string | undefined): Promise<string> {
  return prompts.text({
    message,
    ...(suggested === undefined ? {} : {default: suggested}),
    check: typed => {
      if (typed.trim() === '') throw usage('invalid_input', 'must not be empty')
      if (/[\p{Cc}\p{Cf}]/u.test(typed)) throw usage('invalid_input', 'must be letters that can be seen')
    },
  })
}

async function emailCheck(): Promise<(typed: string) => void> {
  const {contact} = await import('../../../contract/reservations.js')
  return typed => {
    if (contact.shape.email.safeParse(typed).success) return
    throw usage('invalid_input', 'must be an e-mail address such as ayse@example.com')
  }
}

function describePhone({phone_country_code, phone_number, country}: Phone): string {
  const name =
    country === undefined ? 'several countries' : new Intl.DisplayNames('en', {type: 'region'}).of(country)
  return `${phone_country_code} ${phone_number}, ${name}`
}
