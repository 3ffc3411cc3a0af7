/** Redaction by the names of fields: telling ones and innocent ones, in JSON and in what was cut off of it. */
import fc from 'fast-check'
import {createRedactor, redactText} from '../../../src/api/redact/redact.js'
import {must, property} from '../property.js'

/** Names of fields, and the words they are made of: what the last of them is decides. */
const TELLING = [
  ...['identity', 'passport', 'passport_no', 'national_id', 'card_number', 'credit_card', 'travel_document'],
  ...[
    'email',
    'e_mail',
    'email_address',
    'phone',
    'phone_number',
    'mobile',
    'mobile_phone',
    'surname',
    'birth_date',
  ],
  ...['access_token', 'client_secret', 'password', 'api_key', 'signature', 'document_id', 'identity_number'],
]
const INNOCENT_NAMES = [
  ...[
    'mobile_rate',
    'is_mobile_rate',
    'mobile_discount',
    'mobile_only',
    'rate_card',
    'rate_card_id',
    'score_card',
  ],
  ...[
    'hotel_document',
    'policy_document',
    'min_identity_age',
    'identity_required',
    'identity_type',
    'email_template',
  ],
  ...[
    'email_language',
    'has_email',
    'phone_required',
    'phone_count',
    'token_type',
    'card_type',
    'microphone',
    'name',
  ],
]
/** As services write names. */
const styles: readonly ((name: string) => string)[] = [
  name => name,
  name => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  name => name.replaceAll('_', '-'),
  name =>
    name[0]?.toUpperCase() + name.slice(1).replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
]
const named = (names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...styles)).map(([name, style]) => style(name))

export const redactionByName = [
  property(
    'redaction: under a telling name all is taken out, under an innocent one nothing',
    fc.tuple(
      named(TELLING),
      named(INNOCENT_NAMES),
      fc.constantFrom('plain', ['plain'], {note: '}', no: 'plain'}),
    ),
    ([telling, innocent, value]) => {
      const shown = {[innocent]: value, [telling]: '[redacted]'}
      const document = {[innocent]: value, [telling]: value}
      must(fc.stringify(createRedactor().json(document)) === fc.stringify(shown), document)
      const cut = JSON.stringify(document).slice(0, -1)
      const text = redactText(cut)
      must(text.startsWith(JSON.stringify({[innocent]: value}).slice(0, -1)), cut, text)
      must(!text.slice(JSON.stringify({[innocent]: value}).length).includes('plain'), cut, text)
    },
    {examples: TELLING.map((name): [string, string, string] => [name, INNOCENT_NAMES[0] as string, 'plain'])},
  ),
]
