/** Errors of a command line. They name flags and arguments, and never repeat a value, which may be a secret. */
import {type Failure, usage} from '../../contract/failure.js'
import {closest} from './match.js'

export const SEE_HELP = 'run with --help for usage'

export interface Word {
  /** `--sort`, `REF` or `BOOKCTL_TIMEOUT`. */
  readonly shown: string
  readonly isFlag: boolean
  readonly isVariable: boolean
}

/** oclif gives the typed word as the token; a value of a variable has none. */
export function wordOf(context: object, {env}: {readonly env?: string}, name: string): Word {
  const {token} = context as {token?: {readonly type: string}}
  if (token?.type === 'arg') return {shown: name.toUpperCase(), isFlag: false, isVariable: false}
  const isVariable = env !== undefined && token === undefined
  return {shown: isVariable ? env : `--${name}`, isFlag: true, isVariable}
}

/** Usage error that lists the missing `flags`. */
export function missing(flags: readonly string[]): Failure {
  return usage('missing_flag', `missing: ${flags.join(', ')}`, SEE_HELP)
}

export function invalidOption({shown, isFlag}: Word, typed: string, options: readonly string[]): Failure {
  if (!isFlag)
    return usage('invalid_argument', `the argument must be one of: ${options.join(', ')}`, SEE_HELP)
  const best = closest(typed, options)
  const hint = best ? `did you mean ${best}?` : SEE_HELP
  return usage('invalid_flag', `${shown} must be one of: ${options.join(', ')}`, hint)
}

/** `word` may have a value; `names` are those of the flags. */
export function unknownFlag(word: string, names: readonly string[]): Failure {
  const typed = word.split('=', 1)[0] ?? ''
  const flags = names.map(name => `--${name}`)
  const best = closest(typed, flags)
  const shown = /^--?[\w-]{1,40}$/.test(typed) ? ` ${typed}` : ''
  return usage('unknown_flag', `unknown flag${shown}`, best ? `did you mean ${best}?` : SEE_HELP)
}

export function unexpectedArguments(count: number): Failure {
  const what = count === 1 ? 'one unexpected argument' : `${count} unexpected arguments`
  return usage('unexpected_argument', what, SEE_HELP)
}

export function conflictingFlags(one: string, other: string): Failure {
  return usage('invalid_flags', `--${one} cannot be used with --${other}`, 'leave one of them out')
}

export function requiresFlag(flag: string, needed: string): Failure {
  return usage('missing_flag', `missing: --${needed}, which --${flag} requires`, SEE_HELP)
}

/** The errors that stop oclif's parser: a flag without a value, or given twice. Only its message names the flag. */
export function parserError(
  error: unknown,
  argv: readonly string[],
  flags: Readonly<Record<string, {readonly char?: string; readonly options?: readonly string[]}>>,
): Failure {
  const name = error instanceof Error ? /^Flag --([\w-]+) /.exec(error.message)?.[1] : undefined
  if (name === undefined) throw error
  const {char, options} = flags[name] ?? {}
  const isIt = (word: string) =>
    word.split('=', 1)[0] === `--${name}` || (char !== undefined && word.startsWith(`-${char}`))
  if (argv.filter(isIt).length > 1) return usage('invalid_flag', `--${name} can only be given once`, SEE_HELP)
  if (options) return usage('invalid_flag', `--${name} must be one of: ${options.join(', ')}`)
  return usage('invalid_flag', `--${name} expects a value`, SEE_HELP)
}
