/** Argument, flags and `--input` of `reserve` → the request of §2.4. Everything is checked before anything is sent. */
import {createHash, createHmac} from 'node:crypto'
import type {ZodType} from 'zod'
import {isCalendarDate} from '../../../contract/dates.js'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {plainMessage} from '../../../contract/input-mistakes.js'
import {canonicalJson, isObject} from '../../../contract/json.js'
import {underOneName} from '../../../contract/network.js'
import type {ReservationRequest} from '../../../contract/reservations.js'
import {checkIdentifier} from '../../input/checks.js'
import {checkCountry} from '../../input/countries.js'
import {checkBirthDate} from '../../input/dates.js'
import {readJson, readText} from '../../input/files.js'
import {completeGuests, type Fields, faultsOfWords, refuseUnknown} from '../../input/guests.js'
import {closest, didYouMean} from '../../input/match.js'
import {combined, into, missing} from '../../input/usage-errors.js'
import type {ReserveFlags} from './flags.js'

export interface Known {
  readonly nationality?: string | undefined
  /** Base URL, for the generated reference. Undefined before the offer, and its nationality, is looked up. */
  readonly baseUrl?: string
  /** The client secret where others can read the reference: without a key, identity numbers could be tried with it. */
  readonly referenceKey?: string | undefined
  /** Calendar day, YYYY-MM-DD, the last possible birth date. */
  readonly today: string
}

/** An empty request of §2.4, for `--template`. */
export const TEMPLATE: ReservationRequest = {
  offer_id: '',
  client_reference_id: '',
  client_nationality: '',
  contact: {name: '', surname: '', email: '', phone_country_code: '+', phone_number: ''},
  guests: [
    {
      type: 'ADULT',
      name: '',
      surname: '',
      birth_date: '',
      gender: '',
      nationality: '',
      identity: {type: 'TC', number: ''},
      is_lead: true,
    },
  ],
  payment: {mode: 'account'},
}

/** The contents of the file without the empty strings of the template; `{}` without --input. Throws usage. */
export async function readInput(path: string | undefined): Promise<Fields> {
  const rule = 'must be one JSON object, the request of a reservation (see --template)'
  return withoutEmpty(await readFields(path, Object.keys(TEMPLATE), rule)) as Fields
}

/** The object in the file of --input, with fields of `names` only; `{}` without it. Throws usage. */
export async function readFields(
  path: string | undefined,
  names: readonly string[],
  rule: string,
): Promise<Fields> {
  if (path === undefined) return {}
  const value = readJson('--input', await readText('--input', path))
  if (!isObject(value)) throw usage('invalid_input', `--input: ${rule}`)
  refuseUnknown('--input', Object.keys(value), names)
  return value
}

/** The offer meant, unchecked: the argument, else the file's; undefined when neither names one. */
export function offerOf(argument: string | undefined, input: Fields): string | undefined {
  const offer = argument ?? input.offer_id
  return offer === undefined ? undefined : textOf(offer)
}

/** The request of §2.4: flags win over the file. Throws usage naming all that is missing or wrong. */
export async function readReservation(
  offerId: string | undefined,
  input: Fields,
  flags: ReserveFlags,
  known: Known,
): Promise<ReservationRequest> {
  const {lacking, errors, request} = await examine(offerId, input, flags, known)
  refuseMistakes([...missingParts(lacking), ...errors])
  return withReference(request as Unnamed, known)
}

export function refuseMistakes(errors: readonly Failure[]): void {
  if (errors.length > 0) throw combined(errors)
}

/** The error that names what is lacking, if anything is. */
export function missingParts(lacking: readonly string[]): Failure[] {
  const hint =
    'fill in what bookctl reserve --template prints and pass it with --input FILE; at a terminal, bookctl reserve asks'
  return lacking.length > 0 ? [missing(lacking, hint)] : []
}

/** The parts of the request that are right, and all that is lacking and wrong but for the flags `refused` already. */
export async function examine(
  offerId: string | undefined,
  input: Fields,
  flags: ReserveFlags,
  {nationality: searched, baseUrl, today}: Known,
  refused: readonly string[] = [],
) {
  const {shape} = (await import('../../../contract/reservations.js')).reservationRequest
  const isEarly = baseUrl === undefined
  const usual = isEarly ? undefined : (searched ?? flags.preferred?.nationality)
  const payment = isObject(input.payment) ? input.payment : {}
  const mode = flags.pay ?? payment.mode
  const request: Partial<ReservationRequest> = {}
  const errors: Failure[] = []
  const [lacking, lackingFields]: [string[], string[]] = [[], []]
  const identifier = (kind: 'offer_id' | 'client_reference_id') => (value: unknown) =>
    checkIdentifier(kind, kind, textOf(value))
  const country = (value: unknown) => checkCountry('client_nationality', textOf(value))
  const readGuests = async (guests: unknown) => {
    if (!Array.isArray(guests)) return guests
    for (const [index, guest] of guests.entries())
      errors.push(...(await faultsOfGuest(guest, `guests[${index}]`, today)))
    if (!guests.every(isObject)) return guests
    const {client_nationality: nationality} = request
    const fills = flags.guest !== undefined && nationality !== undefined && !isEarly
    return completeGuests(fills ? guests.map(guest => ({nationality, ...guest})) : guests)
  }
  const readContact = (value: unknown) => {
    errors.push(...faultsOfWords(value, 'contact'))
    return value
  }
  const reference = flags['client-reference'] ?? input.client_reference_id
  const nationality = flags.nationality ?? input.client_nationality ?? usual
  const contact = mergeContact(input.contact, flags.contact, flags.preferred?.contact)
  const given: Readonly<Record<Part, readonly [flag: string, value: unknown, read?: Read]>> = {
    offer_id: ['OFFER_ID', offerId, identifier('offer_id')],
    client_reference_id: ['--client-reference', reference, identifier('client_reference_id')],
    client_nationality: ['--nationality', nationality, country],
    contact: ['--contact', contact, readContact],
    guests: ['--guest', flags.guest ?? input.guests, readGuests],
    payment: ['--pay', mode === undefined ? undefined : {...payment, mode}],
  }
  for (const [name, [flag, value, read]] of Object.entries(given)) {
    const part = name as Part
    if (refused.some(one => flag === `--${one}` && flags[one as keyof ReserveFlags] === undefined)) continue
    if (value === undefined) {
      // The one is made up, the other may be that of the offer.
      const isOptional = part === 'client_reference_id' || (part === 'client_nationality' && isEarly)
      if (!isOptional) lacking.push(flag)
      continue
    }
    try {
      const checked = checkedBy<unknown>(shape[part], read ? await read(value) : value, part)
      if (checked.data !== undefined) Object.assign(request, {[part]: checked.data})
      lackingFields.push(...checked.lacking)
      errors.push(...checked.errors)
    } catch (error) {
      into(errors)(error)
    }
  }
  return {lacking: [...lacking, ...lackingFields], errors, request}
}

type Part = keyof ReservationRequest
type Read = (value: unknown) => unknown

/** What a schema does not check. A guest of a file may be anything. */
async function faultsOfGuest(guest: unknown, path: string, today: string): Promise<Failure[]> {
  const {nationality, birth_date: born} = isObject(guest) ? guest : {}
  const errors = faultsOfWords(guest, path)
  if (typeof nationality === 'string' && /^[A-Za-z]{2}$/.test(nationality))
    await checkCountry(`${path}.nationality`, nationality).catch(into(errors))
  try {
    if (typeof born === 'string' && isCalendarDate(born)) checkBirthDate(`${path}.birth_date`, born, today)
  } catch (error) {
    into(errors)(error)
  }
  return errors
}

/** Field by field: flag > file > settings. */
export function mergeContact(
  fromFile: unknown,
  flag: Fields | undefined,
  preferred: Fields | undefined,
): unknown {
  if (fromFile !== undefined && !isObject(fromFile) && flag === undefined) return fromFile
  const fields = [preferred, fromFile, flag].filter(isObject)
  return fields.length === 0 ? undefined : Object.assign({}, ...fields)
}

/** What `schema` finds missing and wrong in `value`, which is at the field `at`; its data if nothing. */
export function checkedBy<T>(schema: ZodType<T>, value: unknown, ...at: string[]) {
  const {data, error} = schema.safeParse(value, {error: plainMessage, reportInput: true})
  const absent: Path[] = []
  const unknown: Path[] = []
  const errors: Failure[] = []
  for (const issue of error?.issues ?? []) {
    const path = [...at, ...issue.path]
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) unknown.push([...path, key])
    else if (issue.input === undefined) absent.push(path)
    else errors.push(usage('invalid_input', `${fieldOf(path)}: ${issue.message}`))
  }
  for (const path of unknown) {
    const beside = absent.filter(other => fieldOf(other.slice(0, -1)) === fieldOf(path.slice(0, -1)))
    const meant = closest(lastOf(path), beside.map(lastOf))
    const hint = meant === undefined ? 'reserve --template shows them' : didYouMean(meant)
    errors.push(usage('unknown_field', `${fieldOf(path)}: there is no such field in a reservation`, hint))
    // What was mistyped is not missing too.
    const at = absent.findIndex(other => beside.includes(other) && lastOf(other) === meant)
    if (at >= 0) absent.splice(at, 1)
  }
  return {lacking: absent.map(fieldOf), errors, data}
}

type Path = readonly PropertyKey[]

const lastOf = (path: Path) => String(path.at(-1))

/** `guests[0].identity.number`, counted from 0 as in the file and on the wire. */
function fieldOf(path: Path): string {
  const field = path.map((key, i) =>
    typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`,
  )
  return sanitizeLine(field.join(''), 80)
}

/** A request that may lack its reference. */
type Unnamed = Omit<ReservationRequest, 'client_reference_id'> & {readonly client_reference_id?: string}

/**
 * The request with its reference, by default one that is derived from the rest, so that a repeated command makes one
 * reservation. Whatever changes the hash needs another version: a repeat on another machine, without its journal, would be
 * a second booking to a service that goes by references. Earlier versions are found by the rest of the request.
 */
function withReference(
  {offer_id, client_reference_id: given, ...rest}: Unnamed,
  {baseUrl = '', referenceKey}: Pick<Known, 'baseUrl' | 'referenceKey'>,
): ReservationRequest {
  if (given !== undefined) return {offer_id, client_reference_id: given, ...rest}
  const hash = referenceKey === undefined ? createHash('sha256') : createHmac('sha256', referenceKey)
  const text = canonicalJson([underOneName(baseUrl), {offer_id, ...rest}])
  return {offer_id, client_reference_id: `bk2-${hash.update(text).digest('hex').slice(0, 20)}`, ...rest}
}

/** A file may hold anything, also an object that has no text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== '' && inner !== null)
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutEmpty(inner)]))
}
