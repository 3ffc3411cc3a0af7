/** Flags whose values have a check of their own, on top of oclif's. */
import * as Flags from '@oclif/core/flags'
import {type Spec, wordOf} from './parse.js'

/**
 * A flag whose value `check` reads. It is given the name to refuse the value by, the flag's or that of the variable it
 * came from, and throws a usage Failure. Use it as one of oclif's own: `const dateFlag = checkedFlag(checkDate)`, then
 * `date: dateFlag({helpValue: 'DATE', summary: '…'})`.
 */
export function checkedFlag<T>(check: (field: string, text: string) => T | Promise<T>) {
  const parse = async (text: string, context: object, flag: Spec & {readonly name: string}) =>
    check(wordOf(context, flag, flag.name).shown, text)
  return Flags.custom<T>({parse: parse as never})
}
