/**
 * oclif's parse errors in our words. Its own echo every value typed (a mistyped secret too) and, as JSON, the whole
 * parser with argv and paths; here only names of flags and arguments come back.
 */
import {type Failure, usage} from '../../contract/failure.js'
import {closest} from './suggest.js'

interface ParseError {
  readonly message: string
  readonly oclif?: unknown
  readonly args?: readonly {readonly name?: string}[]
  readonly flags?: readonly string[]
  readonly parse?: {readonly input?: {readonly flags?: Record<string, unknown>}}
}

/** The usage Failure for an error of oclif's parser; undefined for anything else. */
export function describeParseError(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof Error) || !('oclif' in thrown)) return undefined
  const error = thrown as Error & ParseError
  switch (error.constructor.name) {
    case 'NonExistentFlagsError':
      return unknownFlag(error)
    case 'UnexpectedArgsError':
      return usage('unexpected_argument', `${countOf(error.args)} more than the command takes`, SEE_HELP)
    case 'RequiredArgsError':
      return usage(
        'missing_argument',
        `missing: ${(error.args ?? []).map(arg => arg.name?.toUpperCase()).join(', ')}`,
        SEE_HELP,
      )
    case 'FailedFlagValidationError':
      return misfitFlags(error)
    default:
      return otherParseError(error)
  }
}

export const SEE_HELP = 'add --help to see what the command takes'

function countOf(args: ParseError['args']): string {
  const count = args?.length ?? 1
  return count === 1 ? 'there is one argument' : `there are ${count} arguments`
}

function unknownFlag(error: ParseError): Failure {
  const typed = (error.flags?.[0] ?? '').split('=', 1)[0] ?? ''
  const known = Object.keys(error.parse?.input?.flags ?? {}).map(name => `--${name}`)
  const best = closest(typed, known)
  const shown = /^--?[\w-]{1,40}$/.test(typed) ? ` ${typed}` : ''
  return usage('unknown_flag', `unknown flag${shown}`, best ? `did you mean ${best}?` : SEE_HELP)
}

function misfitFlags(error: ParseError): Failure {
  const names = [...error.message.matchAll(/Missing required flag ([\w-]+)/g)].map(match => `--${match[1]}`)
  if (names.length > 0) return missing(names)
  // Between the two stands a value that was typed.
  const [, one, other] =
    /^ *--([\w-]+)=.*? cannot also be provided when using --([\w-]+)$/ms.exec(error.message) ?? []
  const known = error.parse?.input?.flags ?? {}
  const both = one !== undefined && other !== undefined && one in known && other in known
  return usage(
    'invalid_flags',
    both ? `--${one} and --${other} do not go together` : 'these flags do not go together',
    both ? 'leave one of them out' : SEE_HELP,
  )
}

/** Refuses for want of `flags`, naming every one. */
export function missing(flags: readonly string[]): Failure {
  return usage('missing_flag', `missing: ${flags.join(', ')}`, SEE_HELP)
}

/** The value typed is not told: it may be a secret in the wrong place. */
function notAnOption(flag: string, typed: string, valid: string): Failure {
  const best = closest(typed, valid.split(/,\s*/))
  return usage(
    'invalid_flag',
    `--${flag} must be one of: ${valid}`,
    best ? `did you mean ${best}?` : SEE_HELP,
  )
}

function otherParseError(error: ParseError): Failure {
  const options = /^Expected --([\w-]+)=(.*) to be one of: ([^\n]*)/s.exec(error.message)
  if (options) return notAnOption(options[1] ?? '', options[2] ?? '', options[3] ?? '')
  const words = /^Expected .* to be one of: ([^\n]*)/s.exec(error.message)?.[1]
  if (words !== undefined) return usage('invalid_argument', `the argument must be one of: ${words}`, SEE_HELP)
  const empty = /^Flag --([\w-]+) (expects a value|can only be specified once)/.exec(error.message)
  if (empty)
    return usage('invalid_flag', `--${empty[1]} ${empty[2]?.replace('specified', 'given')}`, SEE_HELP)
  const oneOf = /^Flag --([\w-]+) expects one of these values: ([^\n]*)/.exec(error.message)
  if (oneOf) return usage('invalid_flag', `--${oneOf[1]} must be one of: ${oneOf[2]}`)
  return usage('invalid_arguments', 'the arguments cannot be understood', SEE_HELP)
}
