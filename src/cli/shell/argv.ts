/** Orders a command line for oclif: the command's name first, then global flags, `--version` as a command. */
import {GLOBAL_SWITCHES, GLOBAL_VALUES} from './global-flags.js'

/** The hidden command that a completion script runs. */
export const CANDIDATES_WORD = '__complete'

/** `words`: before the first other flag; `globals`: the global flags among them; `rest`: all that follows. */
export function splitArgv(argv: readonly string[]) {
  const words: string[] = []
  const globals: string[] = []
  let index = 0
  while (index < argv.length) {
    const word = argv[index] ?? ''
    const [name = ''] = word.split('=', 1)
    const isGlobal = GLOBAL_SWITCHES.has(word) || GLOBAL_VALUES.has(name)
    // A value may be a word of its own.
    const taken = GLOBAL_VALUES.has(word) ? 2 : 1
    if (isGlobal) globals.push(...argv.slice(index, index + taken))
    else if (word.startsWith('-')) break
    else words.push(word)
    index += taken
  }
  return {words, globals, rest: argv.slice(index)}
}

/** `argv` with the command's name first; empty for global flags only. */
export function orderArgv(argv: readonly string[]): string[] {
  // A word to complete may look like a flag.
  if (argv[0] === CANDIDATES_WORD) return [CANDIDATES_WORD, '--', ...argv.slice(1)]
  const {words, globals, rest} = splitArgv(argv)
  if (words.length > 0) return [...words, ...globals, ...rest]
  if (rest[0] === '--version') return ['version', ...globals, ...rest.slice(1)]
  return rest.length === 0 ? [] : [...rest, ...globals]
}

/** Whether `--json` (or `--format json`) comes before `--`, and is not only being completed. */
export function wantsJson(argv: readonly string[]): boolean {
  if (argv[0] === CANDIDATES_WORD) return false
  return /(^|\0)--(json|format[=\0]json)(\0|$)/.test(beforeDashes(argv).join('\0'))
}

/** The words up to `--`; those after it are arguments. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}
