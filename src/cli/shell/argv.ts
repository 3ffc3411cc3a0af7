/**
 * Reorders a command line for oclif: the command's name first, then the global flags. `--version` becomes the command `version`.
 */
import {GLOBAL_SWITCHES, GLOBAL_VALUES} from './global-flags.js'

/** The hidden command that a completion script runs. */
export const CANDIDATES_WORD = '__complete'

/**
 * Splits a command line. `words` come before the first flag that is not global, `globals` are the global flags among
 * them, and `rest` is everything after.
 */
export function splitArgv(argv: readonly string[]) {
  const words: string[] = []
  const globals: string[] = []
  let index = 0
  while (index < argv.length) {
    const word = argv[index] ?? ''
    const [name = ''] = word.split('=', 1)
    const isGlobal = GLOBAL_SWITCHES.has(word) || GLOBAL_VALUES.has(name)
    // The value of a flag may be a word of its own.
    const taken = GLOBAL_VALUES.has(word) ? 2 : 1
    if (isGlobal) globals.push(...argv.slice(index, index + taken))
    else if (word.startsWith('-')) break
    else words.push(word)
    index += taken
  }
  return {words, globals, rest: argv.slice(index)}
}

/** Returns `argv` with the command's name first, or an empty list if there are only global flags. */
export function orderArgv(argv: readonly string[]): string[] {
  // The word that is being completed may look like a flag.
  if (argv[0] === CANDIDATES_WORD) return [CANDIDATES_WORD, '--', ...argv.slice(1)]
  const {words, globals, rest} = splitArgv(argv)
  if (words.length > 0) return [...words, ...globals, ...rest]
  if (rest[0] === '--version') return ['version', ...globals, ...rest.slice(1)]
  return rest.length === 0 ? [] : [...rest, ...globals]
}

/**
 * Reports whether `--json` or `--format json` occurs before `--`. Returns false while a command line is being
 * completed.
 */
export function wantsJson(argv: readonly string[]): boolean {
  if (argv[0] === CANDIDATES_WORD) return false
  return /(^|\0)--(json|format[=\0]json)(\0|$)/.test(beforeDashes(argv).join('\0'))
}

/** Returns the words before `--`. The words after it are arguments, never flags. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}
