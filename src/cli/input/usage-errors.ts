/** Usage errors. They name flags and arguments, and never repeat a value that may be a secret. */
import {Failure, usage} from '../../contract/failure.js'
import OTHER_TOOLS from './flags-of-other-tools.json' with {type: 'json'}
import {closest, didYouMean, isAboutName} from './match.js'

export const SEE_HELP = 'run with --help for usage'

/** The name of a flag, an argument or a variable in errors: `--sort`, `REF` or `BOOKCTL_TIMEOUT`. */
export type Word = ReturnType<typeof wordOf>

/**
 * Returns the name that errors use for a value. oclif passes the typed word as `token`; a value from a variable has no
 * token.
 */
export function wordOf(context: object, {env}: {readonly env?: string}, name: string) {
  const {token} = context as {token?: {readonly type: string}}
  if (token?.type === 'arg') return {shown: name.toUpperCase(), isFlag: false, isVariable: false}
  const isVariable = env !== undefined && token === undefined
  return {shown: isVariable ? env : `--${name}`, isFlag: true, isVariable}
}

/** Combines `errors` (at least one) into a single Failure that names them all. */
export function combined(errors: readonly Failure[]): Failure {
  const [first, ...more] = errors as [Failure, ...Failure[]]
  return more.length === 0 ? first : new PartsFailure(errors)
}

/**
 * Several errors combined into one. A hint about a single error is shown next to its message. `rest` has the valid
 * parts of a value that is partly invalid, so that the same run can check them too.
 */
export class PartsFailure extends Failure {
  readonly parts: readonly Failure[]

  constructor(
    errors: readonly Failure[],
    readonly rest?: unknown,
  ) {
    const parts = errors.flatMap(error => (error instanceof PartsFailure ? error.parts : [error]))
    const [{kind, details}, ...more] = parts as [Failure, ...Failure[]]
    // A suggested flag can be shown below all messages, because it is clear to which message it belongs.
    const isBelow = isAboutName(details.hint, '--') && !more.some(part => isAboutName(part.details.hint))
    const keepsHint = more.length === 0 || isBelow
    // A suggested name is only clear next to its message.
    const messages = parts.map(({message, details: {hint}}) =>
      !keepsHint && isAboutName(hint) ? `${message} (${hint})` : message,
    )
    const shown = keepsHint || !isAboutName(details.hint) ? details : {...details, hint: SEE_HELP}
    super(kind, [...new Set(messages)].join('; '), shown)
    this.parts = parts
  }
}

/** Returns a handler for `catch` that adds a Failure to `errors` and rethrows any other error. */
export function collectFailure(errors: Failure[]) {
  return (error: unknown): undefined => {
    if (!(error instanceof Failure)) throw error
    errors.push(error)
  }
}

/** A handler for `catch` that returns undefined for a Failure, where a value may be missing, and rethrows other errors. */
export function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

export function missing(words: readonly string[], hint = SEE_HELP, code = 'missing_flag'): Failure {
  return usage(code, `missing: ${words.join(', ')}`, hint)
}

export function invalidOption({shown, isFlag}: Word, typed: string, options: readonly string[]): Failure {
  if (!isFlag)
    return usage('invalid_argument', `the argument must be one of: ${options.join(', ')}`, SEE_HELP)
  const best = closest(typed, options)
  const hint = best ? didYouMean(best) : SEE_HELP
  return usage('invalid_flag', `${shown} must be one of: ${options.join(', ')}`, hint)
}

/**
 * Returns the error for an unknown flag. Its value is in `word` after `=`, or may be the first of `following`. `names`
 * are the flags of the command.
 */
export function unknownFlag(word: string, names: readonly string[], following: readonly string[] = []) {
  const [typed = '', value = following[0] ?? ''] = word.split('=', 2)
  const flags = names.map(name => `--${name}`)
  // Users of gh, stripe, aws and curl type the flags of those tools. The first equivalent that this command has is
  // suggested.
  const meant = Object.entries(OTHER_TOOLS).flatMap(([ours, words]) => (words.includes(typed) ? ours : []))
  if (/^(table|tsv|csv|ndjson|json|ya?ml|text)$/.test(value)) meant.reverse()
  const best = meant.find(ours => flags.includes(ours.split(' ', 1)[0] ?? '')) ?? closest(typed, flags)
  const shown = /^--?[\w-]{1,40}$/.test(typed) ? ` ${typed}` : ''
  let hint = SEE_HELP
  if (typed === '-V') hint = didYouMean('`bookctl --version`')
  if (best) hint = didYouMean(best)
  return usage('unknown_flag', `unknown flag${shown}`, hint)
}

/** Returns the error for unexpected arguments. `flag` is the flag that they were probably meant for. */
export function unexpectedArguments(words: readonly string[], flag: string | undefined): Failure {
  const what = words.length === 1 ? 'one unexpected argument' : `${words.length} unexpected arguments`
  return usage('unexpected_argument', what, flag ? didYouMean(`--${flag} ${valueText(words)}`) : SEE_HELP)
}

/** Returns the words as the value of one flag. Only numbers and plain words are repeated. */
function valueText(words: readonly string[]): string {
  const isPlain = words.every(word => /^(\d{1,9}|[\p{L}\p{M}.,'’]{1,30})$/u.test(word))
  if (!isPlain) return '…'
  const text = words.join(' ')
  return words.length === 1 ? text : `"${text}"`
}

export function conflictingFlags(one: string, other: string): Failure {
  return usage('invalid_flags', `--${one} cannot be used with --${other}`, 'leave one of them out')
}

export function requiresFlag(flag: string, needed: string): Failure {
  return usage('missing_flag', `missing: --${needed}, which --${flag} requires`, SEE_HELP)
}

/** Returns the error for a flag that was given twice (`isTwice`) or without a value. */
export function unreadableFlag(name: string, options: readonly string[] | undefined, isTwice: boolean) {
  if (isTwice) return usage('invalid_flag', `--${name} can only be given once`, SEE_HELP)
  if (options) return usage('invalid_flag', `--${name} must be one of: ${options.join(', ')}`)
  return usage('invalid_flag', `--${name} expects a value`, SEE_HELP)
}
