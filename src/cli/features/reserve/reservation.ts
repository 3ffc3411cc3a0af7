/** Argument, flags and `--input` of `reserve` → the request of §2.4. Everything is checked before anything is sent. */
import {createHash} from 'node:crypto'
import type {core, ZodType} from 'zod'
import {isCalendarDate, nightsBetween} from '../../../contract/dates.js'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isObject} from '../../../contract/json.js'
import {MISSING, plainMessage} from '../../../contract/plain-messages.js'
import type {ReservationRequest} from '../../../contract/reservations.js'
import {checkIdentifier, invalid} from '../../input/checks.js'
import {checkCountry} from '../../input/countries.js'
import {readJson, readText} from '../../input/files.js'
import {completeGuests, type Fields, refuseUnknown} from '../../input/guests.js'
import {combined, into, missing} from '../../input/usage-errors.js'
import type {ReserveFlags} from './flags.js'

export interface Known {
  readonly nationality: string | undefined
  /** Base URL and client id, for the generated reference. */
  readonly client: string
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

const ANY_COUNTRY = 'TR'

/** For checking what was typed as far as that needs no knowledge of the offer, so before a login is asked for. */
export const knownBefore = (today: string): Known => ({nationality: ANY_COUNTRY, client: '', today})

/** The request of §2.4: flags win over the file. Throws usage naming all that is missing or wrong. */
export async function readReservation(
  offerId: string | undefined,
  input: Fields,
  flags: ReserveFlags,
  known: Known,
): Promise<ReservationRequest> {
  const {lacking, errors, request} = await examine(offerId, input, flags, known)
  const all = [...(lacking.length > 0 ? [missingParts(lacking)] : []), ...errors]
  if (!request || all.length > 0) throw combined(all)
  return withReference(request, known.client)
}

export function missingParts(lacking: readonly string[]): Failure {
  const hint =
    'fill in what bookctl reserve --template prints and pass it with --input FILE; at a terminal, bookctl reserve asks'
  return missing(lacking, hint)
}

/** All that is missing and wrong in what was typed, but for the flags `refused` already. */
export async function examine(
  offerId: string | undefined,
  input: Fields,
  flags: ReserveFlags,
  known: Known,
  refused: readonly string[] = [],
) {
  const nationality =
    flags.nationality ?? input.client_nationality ?? known.nationality ?? flags.preferred?.nationality
  const pay = flags.pay ?? (isObject(input.payment) ? input.payment.mode : undefined)
  const contact = mergeContact(input.contact, flags.contact, flags.preferred?.contact)
  const guests = flags.guest ?? input.guests
  const reference = flags['client-reference'] ?? input.client_reference_id ?? '-'
  const parts = {
    offer_id: {flag: 'OFFER_ID', value: offerId},
    client_nationality: {flag: '--nationality', value: nationality},
    guests: {flag: '--guest', value: guests},
    contact: {flag: '--contact', value: contact},
    payment: {flag: '--pay', value: pay},
    client_reference_id: {flag: '--client-reference', value: reference},
  }
  const errors: Failure[] = []
  /** Parts whose mistakes are named already. */
  const named = new Set<string>()
  const lacking: string[] = []
  for (const [part, {flag, value}] of Object.entries(parts)) {
    const isRefused = refused.some(name => flag === `--${name}`)
    if (isRefused || value === undefined) named.add(part)
    if (!isRefused && value === undefined) lacking.push(flag)
  }
  const check = async (part: keyof typeof parts, read: (text: string) => string | Promise<string>) => {
    if (named.has(part)) return undefined
    try {
      return await read(textOf(parts[part].value))
    } catch (error) {
      named.add(part)
      return into(errors)(error)
    }
  }
  await check('offer_id', text => checkIdentifier('offer_id', 'offer_id', text))
  await check('client_reference_id', text =>
    checkIdentifier('client_reference_id', 'client_reference_id', text),
  )
  const country = await check('client_nationality', text => checkCountry('client_nationality', text))
  for (const [index, guest] of (Array.isArray(guests) ? guests : []).entries())
    errors.push(...(await faultsOfGuest(guest, `guests[${index}]`, known.today)))
  const {reservationRequest} = await import('../../../contract/reservations.js')
  const whole = {
    ...input,
    offer_id: offerId,
    client_reference_id: reference,
    client_nationality: country,
    contact,
    guests: fillGuests(guests, country ?? ANY_COUNTRY, flags.guest !== undefined),
    payment: isObject(input.payment) ? {...input.payment, mode: pay} : {mode: pay},
  }
  const checked = checkedBy(reservationRequest, whole, named)
  return {
    lacking: [...lacking, ...checked.lacking],
    errors: [...errors, ...checked.errors],
    request: checked.data,
  }
}

/** What a schema does not check. A guest of a file may be anything. */
async function faultsOfGuest(guest: unknown, path: string, today: string): Promise<Failure[]> {
  const {nationality, birth_date: born} = isObject(guest) ? guest : {}
  const errors: Failure[] = []
  if (typeof nationality === 'string' && /^[A-Za-z]{2}$/.test(nationality))
    await checkCountry(`${path}.nationality`, nationality).catch(into(errors))
  // Elsewhere it may be tomorrow already.
  if (typeof born === 'string' && isCalendarDate(born) && nightsBetween(born, today) < -1)
    errors.push(invalid(`${path}.birth_date`, 'must not be in the future', born))
  return errors
}

/** Field by field: flag > file > settings. */
export function mergeContact(
  fromFile: unknown,
  flag: Fields | undefined,
  preferred: Fields | undefined,
): unknown {
  if (fromFile !== undefined && !isObject(fromFile) && flag === undefined) return fromFile
  const given = [preferred, isObject(fromFile) ? fromFile : undefined, flag]
  const fields = given.filter(isObject)
  return fields.length === 0 ? undefined : Object.assign({}, ...fields)
}

function fillGuests(guests: unknown, nationality: string, fromFlags: boolean): unknown {
  if (!Array.isArray(guests) || !guests.every(isObject)) return guests
  return completeGuests(guests.map(guest => (fromFlags ? {nationality, ...guest} : guest)))
}

/** What `schema` finds missing and wrong in `value`, but for the parts `named` already; its data if nothing. */
export function checkedBy<T>(schema: ZodType<T>, value: object, named: ReadonlySet<string> = new Set()) {
  const {data, error} = schema.safeParse(value, {error: plainMessage})
  const issues = (error?.issues ?? []).filter(({path: [part = '']}) => !named.has(String(part)))
  const isAbsent = ({message}: Issue) => message === MISSING
  return {
    lacking: issues.filter(isAbsent).map(fieldOf),
    errors: issues.filter(issue => !isAbsent(issue)).map(refusal),
    data,
  }
}

type Issue = Pick<core.$ZodIssue, 'code' | 'path' | 'message'> & {readonly keys?: readonly string[]}

/** `guests[0].identity.number`, counted from 0 as in the file and on the wire. */
function fieldOf(issue: Issue): string {
  const path = [...issue.path, ...(issue.keys?.slice(0, 1) ?? [])]
  const field = path.map((key, i) =>
    typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`,
  )
  return sanitizeLine(field.join(''), 80)
}

function refusal(issue: Issue): Failure {
  const name = fieldOf(issue)
  if (issue.code !== 'unrecognized_keys') return usage('invalid_input', `${name}: ${issue.message}`)
  const problem = 'there is no such field in a reservation'
  return usage('unknown_field', `${name}: ${problem}`, 'reserve --template shows them')
}

/** By default derived from the request, so that a repeated command makes one reservation. */
function withReference(request: ReservationRequest, client: string): ReservationRequest {
  if (request.client_reference_id !== '-') return request
  const digest = createHash('sha256')
    .update(JSON.stringify([client, request]))
    .digest('hex')
  return {...request, client_reference_id: `bk-${digest.slice(0, 20)}`}
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
