/** Flags and arguments whose values have a check of their own, on top of oclif's. */
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type {IdentifierKind} from '../../contract/identifiers.js'
import {
  checkAmount,
  checkCountry,
  checkCurrency,
  checkDate,
  checkIdentifier,
  checkInteger,
  readDuration,
} from './checks.js'
import {wordOf} from './usage-errors.js'

/** Reads a value, perhaps twice: so it changes nothing, and reads no standard input. */
type Check<T> = (field: string, text: string) => T | Promise<T>

/**
 * A flag whose value `check` reads. It is given the name to refuse the value by, the flag's or that of the variable it
 * came from, and throws a usage Failure. Use it as one of oclif's own: `const dateFlag = checkedFlag(checkDate)`, then
 * `date: dateFlag({helpValue: 'DATE', summary: '…'})`.
 */
export function checkedFlag<T>(check: Check<T>) {
  return Flags.custom<T>({parse: parserOf(check) as never})
}

/** The same for an argument. */
export function checkedArg<T>(check: Check<T>) {
  return Args.custom<T>({parse: parserOf(check) as never})
}

function parserOf<T>(check: Check<T>) {
  return async (text: string, context: object, spec: {readonly name: string; readonly env?: string}) =>
    check(wordOf(context, spec, spec.name).shown, text)
}

export const amountFlag = checkedFlag(checkAmount)
export const countryFlag = checkedFlag(checkCountry)
export const currencyFlag = checkedFlag(checkCurrency)
export const dateFlag = checkedFlag(checkDate)
/** Seconds of `30s`, `16m`, `2h`. */
export const durationFlag = checkedFlag(readDuration)

export const portFlag = Flags.integer({
  helpValue: 'PORT',
  min: 0,
  max: 65_535,
  default: 0,
  summary: 'port to listen on (0: any free port)',
})

/** `--wait[=SECONDS]`: alone, 900 seconds. */
export const waitFlag = (summary: string) =>
  checkedFlag((field, text) => checkInteger(field, text, 0, 86_400))({
    helpValue: '[SECONDS]',
    whenAlone: 900,
    summary: `${summary} (without SECONDS: 900)`,
  })

/** An identifier of the service as an argument; it may be put into a path. */
export const identifierArg = (kind: IdentifierKind) =>
  checkedArg((field, text) => checkIdentifier(kind, field, text))

/** The same as a flag. */
export const identifierFlag = (kind: IdentifierKind) =>
  checkedFlag((field, text) => checkIdentifier(kind, field, text))

/** The one argument of commands on a reservation. */
export const referenceArg = {
  ref: identifierArg('reservation_ref')({required: true, description: 'reference of the reservation'}),
}
