/**
 * The answer to a completion script: which words may stand at the cursor, one a line, value and description separated by
 * a tab. It is asked while somebody types, so it never fails, says nothing on stderr, touches no network and creates
 * nothing; what cannot be read has no candidates.
 */
import type {Command} from '@oclif/core/command'
import type * as Interfaces from '@oclif/core/interfaces'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {fold} from '../input/match.js'
import {type Candidate, candidatesOf} from './candidates.js'
import {GLOBAL_CANDIDATES, globalFlags} from './global-flags.js'
import type {Candidates} from './missing-values.js'
import {HELP_TOPICS} from './names.js'

/** A command as the manifest has it, with what ours say beside oclif's own. */
type Facts = Command.Loadable & {readonly columns?: readonly string[]; readonly candidates?: Candidates}
type Flag = Command.Flag.Any

/** The line that asks the shell for names of files. */
export const FILES = ':files'

/** A shell asks before it lists more than about this. */
const MAX_CANDIDATES = 200
const MAX_VALUE_CHARACTERS = 200
const MAX_DESCRIPTION_CHARACTERS = 60

/** What may stand in one place. `isList`: several of them, with commas between. */
interface Values {
  readonly candidates: readonly Candidate[]
  readonly isList?: boolean
  readonly isFile?: boolean
}

const NOTHING: Values = {candidates: []}

/** The lines for the last of `typed`, the words after `bookctl`; it is still being typed, and may be empty. */
export function completionLines(config: Interfaces.Config, typed: readonly string[]): string {
  const {prefix, word, values} = placeOf(new Commands(config), typed)
  if (values.isFile) return `${FILES}\n`
  const comma = values.isList ? word.lastIndexOf(',') + 1 : 0
  return matching(values.candidates, word.slice(comma))
    .map(({value, description}) => `${prefix}${word.slice(0, comma)}${value}\t${description}\n`)
    .join('')
}

/** Where the cursor is: what of the word is fixed, what is being completed, and by what. */
function placeOf(commands: Commands, typed: readonly string[]) {
  const current = typed.at(-1) ?? ''
  let path: readonly string[] = []
  let flag: string | undefined
  let isAfterDashes = false
  let position = 0
  for (const word of typed.slice(0, -1)) {
    if (flag !== undefined) flag = undefined
    else if (isAfterDashes) position += 1
    else if (word === '--') isAfterDashes = true
    else if (word.startsWith('-')) flag = commands.takesNextWord(path, word) ? word : undefined
    else if (position === 0 && commands.below(path).some(({value}) => value === word)) path = [...path, word]
    else position += 1
  }
  if (flag !== undefined) return {prefix: '', word: current, values: commands.valuesOfFlag(path, flag)}
  const [, name, value = ''] = isAfterDashes ? [] : (/^(--[^=]+)=(.*)$/s.exec(current) ?? [])
  if (name !== undefined) return {prefix: `${name}=`, word: value, values: commands.valuesOfFlag(path, name)}
  if (!isAfterDashes && current.startsWith('-'))
    return {prefix: '', word: current, values: {candidates: commands.flagNames(path)}}
  const values = commands.valuesOfArgument(path, position)
  const words = position === 0 ? commands.below(path) : []
  return {prefix: '', word: current, values: {...values, candidates: [...words, ...values.candidates]}}
}

/** Those that begin with `word`; if none do, those whose description contains it: cities and hotels are known by name. */
function matching(candidates: readonly Candidate[], word: string): Candidate[] {
  const clean = [...new Map(candidates.filter(isPlain).map(one => [one.value, one])).values()].map(
    ({value, description}) => ({value, description: sanitizeLine(description, MAX_DESCRIPTION_CHARACTERS)}),
  )
  const beginning = clean.filter(({value}) => value.startsWith(word))
  if (beginning.length > 0 || word.startsWith('-')) return beginning.slice(0, MAX_CANDIDATES)
  return clean.filter(({description}) => fold(description).includes(fold(word))).slice(0, MAX_CANDIDATES)
}

/** A value that is not what it looks like, or that would not be one line, is not offered. */
function isPlain({value}: Candidate): boolean {
  return value !== '' && value.length <= MAX_VALUE_CHARACTERS && sanitizeLine(value) === value
}

/** The commands, groups and flags that are not hidden. */
class Commands {
  private readonly all: readonly Facts[]

  constructor(private readonly config: Interfaces.Config) {
    this.all = config.commands.filter(({hidden}) => !hidden)
  }

  /** The words that may follow `path`: commands, groups, and help topics. */
  below(path: readonly string[]): Candidate[] {
    const [first, ...rest] = path
    if (first === 'help') {
      const topics = Object.entries(HELP_TOPICS).map(([value, description]) => ({value, description}))
      return [...this.children(rest), ...(rest.length === 0 ? topics : [])]
    }
    return [...this.children(path), ...(path.length === 0 ? OWN_WORDS : [])]
  }

  private children(path: readonly string[]): Candidate[] {
    const prefix = path.map(word => `${word}:`).join('')
    const ids = this.all.map(({id}) => id).filter(id => id.startsWith(prefix))
    const words = [...new Set(ids.map(id => id.slice(prefix.length).split(':')[0] ?? ''))]
    return words.map(value => ({value, description: this.summaryOf(`${prefix}${value}`)}))
  }

  private summaryOf(id: string): string {
    return this.find(id)?.summary ?? this.config.findTopic(id)?.description ?? ''
  }

  private find(id: string): Facts | undefined {
    return this.all.find(command => command.id === id)
  }

  private flags(path: readonly string[]): Flag[] {
    const own = Object.values(this.find(path.join(':'))?.flags ?? {}).filter(({hidden}) => !hidden)
    const all = Object.entries(globalFlags).map(([name, flag]) => ({...flag, name}) as unknown as Flag)
    return [...own.filter(({name}) => !Object.hasOwn(globalFlags, name)), ...all]
  }

  flagNames(path: readonly string[]): Candidate[] {
    const names = this.flags(path).flatMap(flag =>
      namesOf(flag).map(value => ({value, description: flag.summary ?? ''})),
    )
    return [...names, {value: '--help', description: 'explain the command'}]
  }

  takesNextWord(path: readonly string[], word: string): boolean {
    const flag = this.flags(path).find(one => namesOf(one).includes(word))
    return flag?.type === 'option' && !String(flag.helpValue).startsWith('[')
  }

  valuesOfFlag(path: readonly string[], word: string): Values {
    const flag = this.flags(path).find(one => namesOf(one).includes(word))
    const {columns, candidates} = this.find(path.join(':')) ?? {}
    if (flag === undefined || flag.type !== 'option') return NOTHING
    if (flag.name === 'columns') return {...plain(columns ?? []), isList: true}
    return this.valuesOf(flag, {...GLOBAL_CANDIDATES, ...candidates})
  }

  valuesOfArgument(path: readonly string[], position: number): Values {
    const {args = {}, strict, candidates = {}} = this.find(path.join(':')) ?? {}
    const all = Object.values(args)
    const arg = all[strict === false ? Math.min(position, all.length - 1) : position]
    return arg ? this.valuesOf(arg, candidates) : NOTHING
  }

  /** The command says where values come from, or it takes a file. */
  private valuesOf({name, options, helpValue}: Valued, candidates: Candidates): Values {
    const source = candidates[name]
    if (options) return plain(options)
    if (source !== undefined) return {candidates: candidatesOf(source, this.config.configDir)}
    return {candidates: [], isFile: name === 'file' || /\bFILE\b/.test(String(helpValue))}
  }
}

interface Valued {
  readonly name: string
  readonly options?: readonly string[] | undefined
  readonly helpValue?: string | string[]
}

const OWN_WORDS: readonly Candidate[] = [
  {value: 'help', description: 'Explain a command, a group or a topic'},
  {value: 'version', description: 'Print the version; with --verbose the environment in effect'},
]

function plain(values: readonly string[]): Values {
  return {candidates: values.map(value => ({value, description: ''}))}
}

function namesOf({name, char}: Flag): string[] {
  return char ? [`--${name}`, `-${char}`] : [`--${name}`]
}

/** The words of a POSIX command line that is still being typed, without quotes and backslashes. */
export function wordsOf(line: string): string[] {
  const words = ['']
  let quote = ''
  let hasWord = false
  for (const [piece, character = ''] of line.matchAll(/\\?([\s\S])/g)) {
    const isEscaped = piece.length > 1 && quote !== "'"
    if (!isEscaped && quote === '' && /\s/.test(character)) {
      if (hasWord) words.push('')
      hasWord = false
      continue
    }
    hasWord = true
    if (!isEscaped && character === quote) quote = ''
    else if (!isEscaped && quote === '' && /['"]/.test(character)) quote = character
    else words[words.length - 1] += isEscaped ? character : piece
  }
  return words
}
