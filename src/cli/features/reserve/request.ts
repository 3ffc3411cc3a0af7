/** Builds the request of §2.4 from the argument, the flags and the file of `--input` of `reserve`. */
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
import {checkBirthDate, today} from '../../input/dates.js'
import {readJson, readText} from '../../input/files.js'
import {completeGuests, type Fields, faultsOfWords, refuseUnknown} from '../../input/guests.js'
import {closest, didYouMean} from '../../input/match.js'
import {collectFailure, combined, missing} from '../../input/usage-errors.js'
import type {ReserveFlags} from './flags.js'

/** The fields of the request that are valid, and everything missing and wrong. */
export interface Typed {
  /** Undefined if neither the argument nor the file names an offer. */
  readonly offerId: string | undefined
  readonly request: Partial<ReservationRequest>
  /** Missing arguments, flags and fields. Never includes the nationality, which may be that of the search. */
  readonly lacking: readonly string[]
  readonly errors: readonly Failure[]
  /** The contact from flags, file and settings, and the guests from flags or file, even if they are incomplete. */
  readonly contact: unknown
  readonly guests: unknown
  /**
   * Whether the guests were typed with --guest. Such guests have the nationality of the client unless they state
   * another.
   */
  readonly guestsAreFlags: boolean
}

/** Values that complete a typed request. */
export interface RequestDefaults {
  /** The nationality of the search, otherwise that of the settings. */
  readonly nationality: string | undefined
  /** The base URL of the service. It is part of the generated reference. */
  readonly baseUrl: string
  /**
   * The client secret, as HMAC key of the generated reference. It is set if others can read the reference; without a
   * key, they could find identity numbers by hashing guesses.
   */
  readonly referenceKey?: string | undefined
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

/**
 * Returns the JSON object in the file of --input. Throws a usage error with `rule` if the file has no object, or one
 * with fields other than `names`.
 */
export async function readFields(path: string, names: readonly string[], rule: string): Promise<Fields> {
  const value = readJson('--input', await readText('--input', path))
  if (!isObject(value)) throw usage('invalid_input', `--input: ${rule}`)
  refuseUnknown('--input', Object.keys(value), names)
  return value
}

interface RequestField {
  readonly name: keyof ReservationRequest
  /** The flag or argument that an error names if the field is missing. */
  readonly flag: string
  readonly value: unknown
  readonly isOptional?: boolean
  /** Checks what the schema cannot, and returns the value. Throws a usage error. */
  readonly read?: (value: unknown) => unknown
}

interface ReadOptions {
  /** Flags with an invalid value. They are neither read nor reported as missing. */
  readonly refused?: readonly string[]
  /** Replaces the file of --input. */
  readonly input?: Fields
  /** Latest possible birth date, YYYY-MM-DD (default: today). */
  readonly day?: string
}

/**
 * Reads argument, flags and the file of --input; argument and flags win. Throws a usage error if the file cannot be
 * read.
 */
export async function readTyped(
  offerArgument: string | undefined,
  flags: ReserveFlags,
  {refused = [], input: given, day = today()}: ReadOptions = {},
): Promise<Typed> {
  let input = given ?? {}
  if (given === undefined && flags.input !== undefined) {
    const rule = 'must be one JSON object, the request of a reservation (see --template)'
    input = withoutEmpty(await readFields(flags.input, Object.keys(TEMPLATE), rule)) as Fields
  }
  const {shape} = (await import('../../../contract/reservations.js')).reservationRequest
  const offerId = offerArgument ?? input.offer_id
  const contact = mergeContact(input.contact, flags.contact, flags.preferred?.contact)
  const guests = flags.guest ?? input.guests
  const payment = isObject(input.payment) ? input.payment : {}
  const mode = flags.pay ?? payment.mode
  const errors: Failure[] = []
  const lacking: string[] = []
  const lackingFields: string[] = []
  const fields: readonly RequestField[] = [
    {
      name: 'offer_id',
      flag: 'OFFER_ID',
      value: offerId,
      read: value => checkIdentifier('offer_id', 'offer_id', textOf(value)),
    },
    {
      name: 'client_reference_id',
      flag: '--client-reference',
      value: flags['client-reference'] ?? input.client_reference_id,
      isOptional: !flags['unless-booked'],
      read: value => checkIdentifier('client_reference_id', 'client_reference_id', textOf(value)),
    },
    {
      name: 'client_nationality',
      flag: '--nationality',
      value: flags.nationality ?? input.client_nationality,
      isOptional: true,
      read: value => checkCountry('client_nationality', textOf(value)),
    },
    {
      name: 'contact',
      flag: '--contact',
      value: contact,
      read: value => {
        errors.push(...faultsOfWords(value, 'contact'))
        return value
      },
    },
    {
      name: 'guests',
      flag: '--guest',
      value: guests,
      read: async value => {
        if (!Array.isArray(value)) return value
        for (const [index, guest] of value.entries()) {
          const path = `guests[${index}]`
          errors.push(...faultsOfWords(guest, path))
          // A guest in the file may be any JSON.
          const {nationality, birth_date: born} = isObject(guest) ? guest : {}
          if (typeof nationality === 'string' && /^[A-Za-z]{2}$/.test(nationality))
            await checkCountry(`${path}.nationality`, nationality).catch(collectFailure(errors))
          try {
            if (typeof born === 'string' && isCalendarDate(born))
              checkBirthDate(`${path}.birth_date`, born, day)
          } catch (error) {
            collectFailure(errors)(error)
          }
        }
        return value.every(isObject) ? completeGuests(value) : value
      },
    },
    {name: 'payment', flag: '--pay', value: mode === undefined ? undefined : {...payment, mode}},
  ]
  const request: Partial<ReservationRequest> = {}
  for (const {name, flag, value, isOptional, read} of fields) {
    const flagName = flag.replace('--', '') as keyof ReserveFlags
    if (refused.includes(flagName) && flags[flagName] === undefined) continue
    if (value === undefined) {
      if (!isOptional) lacking.push(flag)
      continue
    }
    try {
      const checked = checkedBy<unknown>(shape[name], read ? await read(value) : value, name)
      if (checked.data !== undefined) Object.assign(request, {[name]: checked.data})
      lackingFields.push(...checked.lacking)
      errors.push(...checked.errors)
    } catch (error) {
      collectFailure(errors)(error)
    }
  }
  return {
    offerId: offerId === undefined ? undefined : textOf(offerId),
    request,
    lacking: [...lacking, ...lackingFields],
    errors,
    contact,
    guests,
    guestsAreFlags: flags.guest !== undefined,
  }
}

/** Returns an error for everything missing, and the errors for everything wrong. */
export function mistakesIn({lacking, errors}: Pick<Typed, 'lacking' | 'errors'>): Failure[] {
  const hint =
    'fill in what bookctl reserve --template prints and pass it with --input FILE; at a terminal, bookctl reserve asks'
  return [...(lacking.length > 0 ? [missing(lacking, hint)] : []), ...errors]
}

/**
 * Completes the request of §2.4. `typed` must have no missing fields. The default client reference is a hash of all
 * other fields, so that a repeated command makes only one reservation. If what is hashed changes, the prefix must
 * change too; otherwise a repeat on another machine, without the journal, could book twice. Attempts with an older
 * prefix are found by their other fields. Throws a usage error if there is no nationality.
 */
export async function completeRequest(
  typed: Pick<Typed, 'request' | 'guestsAreFlags'>,
  {nationality: usual, baseUrl, referenceKey}: RequestDefaults,
): Promise<ReservationRequest> {
  if ((typed.request.client_nationality ?? usual) === undefined)
    throw combined(mistakesIn({lacking: ['--nationality'], errors: []}))
  const {offer_id, client_reference_id: given, contact, guests, payment} = typed.request as ReservationRequest
  const client_nationality =
    typed.request.client_nationality ?? (await checkCountry('client_nationality', usual ?? ''))
  // The hash depends on the order of the fields, which is that of §2.4.
  const ofFlags = guests.map(({identity, is_lead, ...guest}) => ({
    ...guest,
    nationality: guest.nationality ?? client_nationality,
    ...(identity && {identity}),
    is_lead,
  }))
  const rest = {client_nationality, contact, guests: typed.guestsAreFlags ? ofFlags : guests, payment}
  if (given !== undefined) return {offer_id, client_reference_id: given, ...rest}
  const hash = referenceKey === undefined ? createHash('sha256') : createHmac('sha256', referenceKey)
  const text = canonicalJson([underOneName(baseUrl), {offer_id, ...rest}])
  return {offer_id, client_reference_id: `bk2-${hash.update(text).digest('hex').slice(0, 20)}`, ...rest}
}

/** Merges the contact field by field; a flag wins over the file, and the file over the settings. */
export function mergeContact(
  fromFile: unknown,
  flag: Fields | undefined,
  preferred: Fields | undefined,
): unknown {
  if (fromFile !== undefined && !isObject(fromFile) && flag === undefined) return fromFile
  const fields = [preferred, fromFile, flag].filter(isObject)
  return fields.length === 0 ? undefined : Object.assign({}, ...fields)
}

/**
 * Checks `value`, the field at path `at`, against a schema. Returns its missing fields, the errors, and the data if the
 * value is valid.
 */
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
    const siblings = absent.filter(other => fieldOf(other.slice(0, -1)) === fieldOf(path.slice(0, -1)))
    const meant = closest(lastOf(path), siblings.map(lastOf))
    const hint = meant === undefined ? 'reserve --template shows them' : didYouMean(meant)
    errors.push(usage('unknown_field', `${fieldOf(path)}: there is no such field in a reservation`, hint))
    // A mistyped field is not reported as missing too.
    const at = absent.findIndex(other => siblings.includes(other) && lastOf(other) === meant)
    if (at >= 0) absent.splice(at, 1)
  }
  return {lacking: absent.map(fieldOf), errors, data}
}

type Path = readonly PropertyKey[]

const lastOf = (path: Path) => String(path.at(-1))

/** Formats a path as `guests[0].identity.number`. Indices count from 0, as in the JSON. */
function fieldOf(path: Path): string {
  const field = path.map((key, i) =>
    typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`,
  )
  return sanitizeLine(field.join(''), 80)
}

/** Returns a JSON value as text: strings as they are, other values as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Returns `value` without the fields, at any depth, that are null or an empty string. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== '' && inner !== null)
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutEmpty(inner)]))
}
