/** Checks of single values. Each throws a usage error that names the field, unless the field is ''. */
import {instantOf, systemClock} from '../../contract/dates.js'
import {type Failure, usage} from '../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../contract/foreign-text.js'
import {
  holdsSecret,
  IDENTIFIERS,
  type IdentifierKind,
  isIdentifier,
  isNoValue,
} from '../../contract/identifiers.js'
import {isAmount} from '../../contract/money.js'
import {OPERATIONS, type OperationName, PATH_TEMPLATE} from '../../contract/operations.js'

/**
 * Returns `problem` after the field name, or `problem` alone if the field is ''. Questions use '', because they show
 * the field themselves.
 */
export function named(field: string, problem: string): string {
  return field === '' ? problem : `${field}: ${problem}`
}

/** Returns the usage error for `field`. It quotes the typed text, sanitised and cut to 40 characters. */
export function invalid(field: string, problem: string, typed?: string, hint?: string): Failure {
  const quoted = typed === undefined ? '' : `, not ${JSON.stringify(sanitizeLine(typed, 40))}`
  return usage('invalid_input', named(field, problem) + quoted, hint)
}

/** Reads a whole number in decimal digits. Throws a usage error unless it is from `least` to `most`. */
export function checkInteger(field: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw invalid(field, `must be a whole number ${range}`, text)
}

/** The range of --timeout and of the setting `timeout`, in seconds. */
export const TIMEOUT_LIMITS = {min: 1, max: 3600}

/**
 * A maximum price, typed as `450`, `450.00 EUR` or `EUR 450`. If it has no currency, the caller decides which one
 * applies.
 */
export interface Maximum {
  /** A decimal string. */
  readonly amount: string
  readonly currency: string | null
}

export function readMaximum(field: string, text: string): Maximum {
  const [, before, amount = '', after] =
    /^(?:([A-Za-z]{3})\s*)?([\d.]+)(?:\s*([A-Za-z]{3}))?$/.exec(text.trim()) ?? []
  if (!isAmount(amount) || (before !== undefined && after !== undefined))
    throw invalid(field, 'must be an amount such as 450 or "450.00 EUR"', text)
  return {amount, currency: (before ?? after)?.toUpperCase() ?? null}
}

export function checkUuid(field: string, text: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text
  throw invalid(field, 'must be a UUID')
}

/**
 * Returns the currency code in upper case. Throws a usage error if its form is wrong. Whether the currency exists is
 * left to the service.
 */
export function checkCurrency(field: string, text: string): string {
  if (/^[A-Za-z]{3}$/.test(text)) return text.toUpperCase()
  throw invalid(field, 'must be a three-letter currency code (ISO 4217) such as EUR', text)
}

const WHERE_SHOWN: Readonly<Partial<Record<IdentifierKind, string>>> = {
  offer_id: 'list offers with their ids: bookctl hotels search',
  reservation_ref: 'list reservations made on this machine: bookctl journal',
  subscription_id: 'list subscriptions with their ids: bookctl webhooks list',
  event_id: 'list received events: bookctl webhooks events list',
  delivery_id: 'list deliveries with their ids: bookctl sandbox deliveries',
}

export function checkIdentifier(kind: IdentifierKind, field: string, text: string): string {
  if (isIdentifier(kind, text)) return text
  const shown = holdsSecret(text) ? undefined : text
  throw invalid(field, `must be ${IDENTIFIERS[kind].expected}`, shown, likelyCause(text) ?? WHERE_SHOWN[kind])
}

/** Returns `text`. Throws a usage error for an empty string or `null`, which a script passes if a value is missing. */
export function checkGiven(field: string, text: string): string {
  if (!isNoValue(text)) return text
  throw invalid(field, 'must have a value', text, likelyCause(text))
}

/**
 * Returns a hint for a value that a script has probably filled in wrongly, or undefined if a person seems to have typed
 * it.
 */
function likelyCause(text: string): string | undefined {
  if (text.trim() === '') return 'the value is empty: check the variable or the command it comes from'
  if (isNoValue(text))
    return `${text.trim()} means a missing value: check the variable or the jq path it comes from`
  return /^(["'`]).*\1$/s.test(text) ? 'remove the quotes: jq -r prints none' : undefined
}

export function checkText(field: string, text: string): string {
  if (text.trim() !== '' && text.length <= 1024 && !/\p{Cc}/u.test(text)) return text.trim()
  throw invalid(field, 'must be one line of text')
}

const SECONDS: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600, d: 86_400}

/**
 * Reads `30s`, `16m`, `2h`, `1d` or a sum such as `1h30m` as seconds. A number without a unit means seconds; with
 * `needsUnit` it is invalid. Throws a usage error if invalid.
 */
export function readDuration(field: string, text: string, needsUnit = false): number {
  const form = needsUnit ? /^(\d{1,9}[smhd])+$/ : /^(\d{1,9}[smhd])+$|^\d{1,9}$/
  if (!form.test(text)) {
    const kind = needsUnit ? 'a duration with a unit' : 'a number of seconds, or a duration'
    throw invalid(field, `must be ${kind} such as 30s, 10m, 2h or 30d`, text)
  }
  const parts = text.match(/\d+[smhd]?/g) ?? []
  return parts.reduce((sum, part) => sum + Number.parseInt(part, 10) * (SECONDS[part.slice(-1)] ?? 1), 0)
}

/**
 * Reads a time such as 2030-06-01T12:00:00Z, or a duration before now such as 2h, as Unix seconds. Throws a usage error
 * for anything else.
 */
export function readSince(field: string, text: string): number {
  const since = readTimeOrAgo(field, text)
  return 'at' in since ? since.at : systemClock.now() - since.secondsAgo
}

/** A time in Unix seconds, or how many seconds it is before now on a clock that is not read yet. */
export type TimeOrAgo = {readonly at: number} | {readonly secondsAgo: number}

/** Reads the same as `readSince`, for a clock other than this machine's. */
export function readTimeOrAgo(field: string, text: string): TimeOrAgo {
  if (!/^\d{4}-\d\d-\d\d([T ]|$)/.test(text)) return {secondsAgo: readDuration(field, text)}
  const at = instantOf(text)
  if (at === undefined) throw invalid(field, 'must be a valid time', text)
  return {at}
}

/** The operations of §4.9. The interface shows no path for them, so a profile may set one. */
export const OWN_OPERATIONS = (Object.keys(OPERATIONS) as OperationName[]).filter(
  name => OPERATIONS[name].source === 'ours',
)

/**
 * Throws a usage error unless `name` is an operation of §4.9 and `path` has exactly the parameters that it needs.
 * `where` says where the path is set.
 */
export function checkOwnPath(where: string, name: string, path: string): string {
  const refuse = (problem: string) => usage('settings_invalid', problem)
  const operation = OWN_OPERATIONS.find(own => own === name)
  const none = 'which is not an operation whose path can be named'
  if (!operation) throw refuse(`${where} names a path for ${sanitizeLine(name, 60)}, ${none}`)
  const example = OPERATIONS[operation].path
  const parametersOf = (text: string) => (text.match(/\{[^}]*\}/g) ?? []).sort().join(' ')
  const needed = parametersOf(example)
  if (PATH_TEMPLATE.test(path) && parametersOf(path) === needed) return path
  const rule = `must be one such as ${example}, with ${needed || 'no parameter'}`
  throw refuse(named(where, `the path of ${name} ${rule}`))
}

/**
 * Returns the origin of a proxy URL. Throws a usage error if it is not http(s), or if it has a password, which the
 * process list would show.
 */
export function checkProxy(field: string, text: string): string {
  const url = parseUrl(text.includes('://') ? text : `http://${text}`)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage('invalid_proxy', `${field}: must be an http:// or https:// URL`)
  if (url.username === '' && url.password === '') return url.origin
  const problem =
    'contains a user name or password, which would show in the process list and the shell history'
  throw usage('secret_on_command_line', `${field}: ${problem}`, 'set HTTPS_PROXY instead')
}

/** Returns a copy of `env` in which `origin` is the proxy for every request. */
export function withProxy(env: NodeJS.ProcessEnv, origin: string): NodeJS.ProcessEnv {
  return {...env, https_proxy: origin, http_proxy: origin, no_proxy: ''}
}
