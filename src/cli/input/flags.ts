/** oclif flags and arguments whose values our own checks read. */
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type {IdentifierKind} from '../../contract/identifiers.js'
import {checkCurrency, checkIdentifier, checkInteger, invalid, readDuration, readMaximum} from './checks.js'
import {checkCountry} from './countries.js'
import {readComingDay} from './dates.js'
import {wordOf} from './usage-errors.js'

/** Reads a value. It may be called twice for the same value, so it must not read standard input. */
type Check<T> = (field: string, text: string) => T | Promise<T>

/**
 * Defines a flag whose value `check` reads: `const amountFlag = checkedFlag(checkAmount)`, then `price:
 * amountFlag({…})`.
 */
export function checkedFlag<T>(check: Check<T>) {
  return Flags.custom<T>({parse: parserOf(check) as never})
}

/** Defines an argument whose value `check` reads, as `checkedFlag` does for a flag. */
export function checkedArg<T>(check: Check<T>) {
  return Args.custom<T>({parse: parserOf(check) as never})
}

function parserOf<T>(check: Check<T>) {
  return async (text: string, context: object, spec: {readonly name: string; readonly env?: string}) =>
    check(wordOf(context, spec, spec.name).shown, text)
}

export const maximumFlag = checkedFlag(readMaximum)
export const countryFlag = checkedFlag(checkCountry)
export const currencyFlag = checkedFlag(checkCurrency)
export const comingDayFlag = checkedFlag((field, text) => readComingDay(field, text))
export const durationFlag = checkedFlag(readDuration)

/** Defines `--port`. `usual` is the default that help shows. */
export const portFlag = (usual: string) =>
  Flags.integer({
    helpValue: 'PORT',
    min: 0,
    max: 65_535,
    summary: 'port to listen on (0: any free port)',
    defaultHelp: async () => usual,
  })

/**
 * Reads `[HOST:]PORT`, with an IPv6 address in brackets. Without a host, it is the loopback address. Throws a usage
 * error if invalid.
 */
function readAdminAddress(field: string, text: string): {readonly host: string; readonly port: number} {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([\da-fA-F:.%\w]+)\]|([^:\s/[\]]+)):)?(\d{1,5})$/.exec(text) ?? []
  const port = digits === '' ? Number.NaN : Number(digits)
  if (port <= 65_535) return {host: bracketed ?? plain ?? '127.0.0.1', port}
  throw invalid(field, 'must be a port from 0 to 65535, or HOST:PORT such as 0.0.0.0:9464', text)
}

/** Defines `--admin`. `what` says what it serves besides readiness. */
export const adminFlag = (what: string) =>
  checkedFlag(readAdminAddress)({
    helpValue: '[HOST:]PORT',
    summary: `serve ${what} there: /healthz, /readyz, /metrics (on 127.0.0.1 unless HOST is given; 0: any free port)`,
  })

/** How many seconds `--wait` without SECONDS waits: as long as a payment page is usually valid. */
export const DEFAULT_WAIT_SECONDS = 900

/** Defines `--wait[=SECONDS]`. */
export const waitFlag = (summary: string) =>
  checkedFlag((field, text) => checkInteger(field, text, 0, 86_400))({
    helpValue: '[SECONDS]',
    whenAlone: DEFAULT_WAIT_SECONDS,
    summary: `${summary} (without SECONDS: ${DEFAULT_WAIT_SECONDS})`,
  })

export const identifierArg = (kind: IdentifierKind) =>
  checkedArg((field, text) => checkIdentifier(kind, field, text))

export const identifierFlag = (kind: IdentifierKind) =>
  checkedFlag((field, text) => checkIdentifier(kind, field, text))

export const referenceArg = {
  ref: identifierArg('reservation_ref')({required: true, description: 'reference of the reservation'}),
}
