/**
 * What oclif does not do with a command line: global flags before the command's name, `--version` with other flags, and
 * words for completion that look like flags. Pure; prints nothing and knows no command.
 */
import {GLOBAL_SWITCHES, GLOBAL_VALUES} from './global-flags.js'

/** The hidden command that a completion script runs. */
export const CANDIDATES_WORD = '__complete'

/** The parts of a command line. */
export interface SplitArgv {
  /** Plain words up to the first other flag: the command's name, and arguments that follow it. */
  readonly words: readonly string[]
  /** The global flags among them, with their values. */
  readonly globals: readonly string[]
  /** Everything from the first other flag, or `--`, on. */
  readonly rest: readonly string[]
}

/** Splits `argv`, which is without node and the script. */
export function splitArgv(argv: readonly string[]): SplitArgv {
  const words: string[] = []
  const globals: string[] = []
  let index = 0
  while (index < argv.length) {
    const word = argv[index] ?? ''
    const taken = globalLength(word)
    if (taken > 0) globals.push(...argv.slice(index, index + taken))
    else if (word.startsWith('-')) break
    else words.push(word)
    index += taken || 1
  }
  return {words, globals, rest: argv.slice(index)}
}

/** How many words a global flag takes, its own included; 0 for any other word. */
function globalLength(word: string): number {
  if (GLOBAL_SWITCHES.has(word)) return 1
  if (GLOBAL_VALUES.has(word)) return 2
  return word.includes('=') && GLOBAL_VALUES.has(word.split('=', 1)[0] ?? '') ? 1 : 0
}

/** `argv` as oclif reads it: the command's name first. Nothing is left when there is neither a word nor another flag. */
export function orderArgv(argv: readonly string[]): string[] {
  // What is being typed may look like a flag of ours.
  if (argv[0] === CANDIDATES_WORD) return [CANDIDATES_WORD, '--', ...argv.slice(1)]
  const {words, globals, rest} = splitArgv(argv)
  if (words.length > 0) return [...words, ...globals, ...rest]
  if (rest[0] === '--version') return ['version', ...globals, ...rest.slice(1)]
  return rest.length === 0 ? [] : [...rest, ...globals]
}

/** Whether `--json` (or `--format json`) comes before `--`, and is not only being completed. */
export function wantsJson(argv: readonly string[]): boolean {
  if (argv[0] === CANDIDATES_WORD) return false
  const own = beforeDashes(argv)
  return (
    own.includes('--json') ||
    own.includes('--format=json') ||
    own.some((word, index) => word === 'json' && own[index - 1] === '--format')
  )
}

/** The words of `argv` up to `--`; those after it are arguments, whatever they look like. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

export function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h'
}
