/** oclif flags and arguments whose values are read by our own checks. */
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type {IdentifierKind} from '../../contract/identifiers.js'
import {checkCurrency, checkIdentifier, checkInteger, readDuration, readMaximum} from './checks.js'
import {checkCountry} from './countries.js'
import {readComingDay} from './dates.js'
import {wordOf} from './usage-errors.js'

/** Reads a value; it may be called twice, so it must not read standard input. */
type Check<T> = (field: string, text: string) => T | Promise<T>

/** Defines a flag whose value `check` reads: `const amountFlag = checkedFlag(checkAmount)`, then `price: amountFlag({…})`. */
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

/** A flag for a maximum price. */
export const maximumFlag = checkedFlag(readMaximum)
export const countryFlag = checkedFlag(checkCountry)
export const currencyFlag = checkedFlag(checkCurrency)
export const comingDayFlag = checkedFlag((field, text) => readComingDay(field, text))
export const durationFlag = checkedFlag(readDuration)

/** Defines `--port`. `usual` is what help shows as the default. */
export const portFlag = (usual: string) =>
  Flags.integer({
    helpValue: 'PORT',
    min: 0,
    max: 65_535,
    summary: 'port to listen on (0: any free port)',
    defaultHelp: async () => usual,
  })

/** How long `--wait` without SECONDS waits: as long as a payment page usually lives. */
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
