/** What people and files give: every text is taken or refused with a Failure, and nothing else happens. */
import fc from 'fast-check'
import {readRoom} from '../../../src/cli/features/catalogue/hotel-search.js'
import {readReservation} from '../../../src/cli/features/reserve/reservation.js'
import {
  checkCurrency,
  checkIdentifier,
  checkInteger,
  checkText,
  readDuration,
} from '../../../src/cli/input/checks.js'
import {readJson} from '../../../src/cli/input/files.js'
import {readContact, readGuest} from '../../../src/cli/input/guests.js'
import {readKeyValues} from '../../../src/cli/input/key-values.js'
import {describeFailure} from '../../../src/cli/shell/failure.js'
import {jsonText} from '../../../src/cli/terminal/json-text.js'
import {checkExpression, renderResult} from '../../../src/cli/terminal/output.js'
import {Failure} from '../../../src/contract/failure.js'
import {reservationRequest as schema} from '../../../src/contract/reservations.js'
import {reservationRequest} from '../../support/sandbox.js'
import {mutated, mutatedJson} from './mutate.js'
import {anyText, must, property, thrownBy, words} from './property.js'
import {dangerousIn} from './sanitiser.js'

/** The value, or undefined when it was refused with a Failure whose words are fit for a terminal. */
async function taken<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const {exit, text, document} = describeFailure(error)
    must(exit !== 1 && exit !== 0, exit, text)
    must(dangerousIn(text.replaceAll('\n', '')) === undefined, text)
    must(Buffer.byteLength(jsonText(document, 2)) < 4000, document)
    return undefined
  }
}

const KEYS = `name surname birth_date tc passport identity.type identity.number is_lead email __proto__ constructor`
const VALUES = [...words('true 10000000146 2030-02-30 Ayşe \\ \\, , ='), ' ']
const pair = fc.tuple(fc.constantFrom(...words(KEYS), ''), fc.oneof(anyText, fc.constantFrom(...VALUES)))
const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll(',', '\\,')

const REQUEST = JSON.stringify(reservationRequest('off_1', {client_reference_id: 'ref-1'}))

const QUERIES = [
  'data[?price > `1`].{a: name, b: id}',
  'sort_by(data, &price)[0].name',
  "join(',', data[].name)",
  'data[*].price | sum(@)',
  'let $x = data in $x[0]',
]
const DOCUMENT = {
  data: [
    {id: 'a', name: 'Ayşe\u202e', price: 1},
    {id: 'b', name: '\u001b[2J', price: 2, list: [1, [2]]},
  ],
  n: null,
  deep: {a: {b: {c: 'x'}}},
}
const result = {document: DOCUMENT, items: DOCUMENT.data, columns: [], id: () => null}

export const input = [
  property(
    'input: --guest and --contact take any text or refuse it',
    fc.oneof(
      anyText,
      fc
        .array(pair, {maxLength: 4})
        .map(pairs => pairs.map(([key, value]) => `${key}=${escaped(value)}`).join(',')),
    ),
    async text => {
      const guest = await taken(() => readGuest('--guest', text))
      if (guest !== undefined) must(Object.getPrototypeOf(guest) === Object.prototype, guest)
      await taken(() => readContact('--contact', text))
    },
  ),
  property(
    'input: what is written as NAME=VALUE with its commas escaped is read back',
    fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z_.]{1,12}$/), anyText), {
      minLength: 1,
      maxLength: 5,
      selector: ([key]) => key,
    }),
    async pairs => {
      const text = pairs.map(([key, value]) => `${key}=${escaped(value)}`).join(',')
      const back = await taken(() => readKeyValues('--guest', text))
      must(
        JSON.stringify([...(back ?? [])]) ===
          JSON.stringify(pairs.map(([key, value]) => [key, value.trim()])),
        text,
        [...(back ?? [])],
      )
    },
  ),
  property(
    'input: a reservation from any file is right by §2.4 or refused',
    fc.oneof(mutatedJson([REQUEST]), mutated([REQUEST])),
    async bytes => {
      const text = Buffer.from(bytes).toString()
      const made = await taken(async () => {
        const value = readJson('--input', text)
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
        const known = {nationality: 'TR', client: 'c', today: '2030-01-01'}
        return readReservation('off_1', value as Record<string, unknown>, {}, known)
      })
      if (made !== undefined) must(schema.safeParse(made).success, made)
    },
  ),
  property(
    'input: JSON is taken as JSON.parse takes it, and a mistake has a place and none of the content',
    fc.oneof(
      mutatedJson([REQUEST]),
      mutated([REQUEST]),
      anyText.map(text => Buffer.from(text)),
    ),
    async bytes => {
      const text = Buffer.from(bytes)
        .toString()
        .replace(/^\ufeff/, '')
      const parsed = orUndefined(() => JSON.stringify(JSON.parse(text)))
      const failure = thrownBy(() => readJson('--data', text))
      if (parsed !== undefined) return must(JSON.stringify(readJson('--data', text)) === parsed, text)
      must(
        failure instanceof Failure &&
          /^--data: is not JSON: [a-z ]+ at line \d+, column \d+$/.test(failure.message),
        text,
        String(failure),
      )
    },
  ),
  property(
    'input: lengths of time, rooms, whole numbers, identifiers, references, currencies',
    fc.oneof(
      anyText,
      fc.stringMatching(/^[\d٣smhd:,.+-]{0,12}$/),
      fc.constantFrom('.', '..', '-1', '1e3', '0x1', '9'.repeat(20), 'EUR', 'eur', 'ſſſ', 'ﬃ'),
    ),
    async text => {
      const seconds = await taken(() => readDuration('--advance', text))
      if (seconds !== undefined) must(Number.isSafeInteger(seconds) && seconds >= 0, text, seconds)
      const room = await taken(() => readRoom('--room', text))
      if (room !== undefined)
        must(
          room.adults >= 1 && room.adults <= 9 && room.children_ages.every(age => age >= 0 && age <= 17),
          room,
        )
      const whole = await taken(() => checkInteger('--limit', text, 1, 100))
      if (whole !== undefined) must(String(whole) === text.replace(/^0+/, '') && whole <= 100, text)
      const identifier = await taken(() => checkIdentifier('other', 'ID', text))
      if (identifier !== undefined)
        must(
          new URL(`https://h.example/v1/a/${encodeURIComponent(identifier)}/b`).pathname.split('/').length ===
            5,
          text,
        )
      const ref = await taken(() => checkIdentifier('reservation_ref', 'REF', text))
      if (ref !== undefined) must(!/[/\\\0]|^\.{1,2}$/.test(ref), ref)
      const currency = await taken(() => checkCurrency('--currency', text))
      if (currency !== undefined) must(/^[A-Z]{3}$/.test(currency), text, currency)
      const line = await taken(() => checkText('--name', text))
      if (line !== undefined) must(!/[\r\n\0]/.test(line), line)
    },
  ),
  property(
    'input: --query is evaluated or refused, and what it prints is fit for a terminal',
    fc.oneof(
      mutated(QUERIES).map(bytes => Buffer.from(bytes).toString()),
      anyText,
      fc.constantFrom(
        ...['[', '(', '!', 'a.', '@|'].map(text => text.repeat(9000)),
        "'\u202e'",
        '`"\\u001b[2J"`',
      ),
    ),
    async query => {
      const printed = await taken(async () => {
        await checkExpression('--query', query)
        return renderResult(result, {query}, {isTTY: true})
      })
      if (printed !== undefined) must(dangerousIn(printed.replaceAll('\n', '')) === undefined, query, printed)
    },
    {weight: 4, examples: QUERIES},
  ),
]

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
