/**
 * What there is to complete, read from the command manifest: the words under each command, its flags, and where the
 * values of flags and arguments come from. The scripts of all shells are made from it.
 */
import type {Command} from '@oclif/core/command'
import type * as Interfaces from '@oclif/core/interfaces'
import {type Candidate, FIXED, type Source} from '../candidates.js'
import {GLOBAL_CANDIDATES, globalFlags} from '../global-flags.js'
import type {Candidates} from '../missing-values.js'
import {HELP_TOPICS} from '../names.js'

/** A command as the manifest has it, with what ours say beside oclif's own. */
type Facts = Command.Loadable & {readonly columns?: readonly string[]; readonly candidates?: Candidates}
type Flag = Command.Flag.Any

/** Where the words for one place on the command line come from. */
export type Values =
  | {readonly kind: 'given'; readonly candidates: readonly Candidate[]; readonly isList: boolean}
  | {readonly kind: 'asked'; readonly source: Source}
  | {readonly kind: 'files'}

export interface Place {
  /** The words of the command: `hotels search`; empty for `bookctl` itself. */
  readonly path: string
  /** Words that may follow: commands and groups. */
  readonly words: readonly Candidate[]
  /** Its own flags as typed. */
  readonly flags: readonly Candidate[]
  /** Those of them whose value is the next word. */
  readonly valued: readonly string[]
  /** By flag as typed, or by `#0`, `#1` for arguments; `#*` for any argument. */
  readonly values: ReadonlyMap<string, Values>
}

export interface CompletionModel {
  /** Flags of every command. */
  readonly everywhere: Omit<Place, 'path' | 'words'>
  readonly places: readonly Place[]
}

const given = (candidates: readonly Candidate[], isList = false): Values => ({
  kind: 'given',
  candidates,
  isList,
})
const asked = (source: Source): Values => ({kind: 'asked', source})
const plain = (values: readonly string[], isList = false) =>
  given(
    values.map(value => ({value, description: ''})),
    isList,
  )

/** The model of the commands and groups of `config`; what is hidden is left out. */
export function completionModel(config: Interfaces.Config): CompletionModel {
  const commands: readonly Facts[] = config.commands.filter(({hidden}) => !hidden)
  const ids = commands.map(({id}) => id)
  const paths = [...new Set(ids.flatMap(prefixesOf))].sort()
  const describe = (path: string) =>
    commands.find(({id}) => id === path.replaceAll(' ', ':'))?.summary ??
    config.findTopic(path.replaceAll(' ', ':'))?.description ??
    ''
  const wordsUnder = (path: string) =>
    paths
      .filter(one => one.startsWith(path === '' ? '' : `${path} `) && parentOf(one) === path)
      .map(one => ({value: one.split(' ').at(-1) ?? '', description: describe(one)}))
  const places = ['', ...paths].map((path): Place => {
    const command = commands.find(({id}) => id === path.replaceAll(' ', ':'))
    return {path, words: wordsUnder(path), ...ownPart(command)}
  })
  const topics = Object.entries(HELP_TOPICS).map(([value, description]) => ({value, description}))
  const help = {path: 'help', words: unique([...wordsUnder(''), ...topics]), ...NOTHING}
  const below = places
    .filter(({path, words}) => path !== '' && words.length > 0)
    .map(({path, words}) => ({path: `help ${path}`, words, ...NOTHING}))
  const [root, ...rest] = places
  const first = root ? [{...root, words: [...root.words, ...OWN_WORDS]}] : []
  return {everywhere: everywhere(), places: [...first, ...rest, help, ...below]}
}

const NOTHING = {flags: [], valued: [], values: new Map<string, Values>()}

const OWN_WORDS: readonly Candidate[] = [
  {value: 'help', description: 'Explain a command, a group or a topic.'},
  {value: 'version', description: 'Print the version; with --verbose what is in effect.'},
]

function prefixesOf(id: string): string[] {
  const words = id.split(':')
  return words.map((_, index) => words.slice(0, index + 1).join(' '))
}

function parentOf(path: string): string {
  return path.split(' ').slice(0, -1).join(' ')
}

function unique(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map(candidate => [candidate.value, candidate])).values()]
}

function everywhere(): CompletionModel['everywhere'] {
  const flags = Object.entries(globalFlags).map(([name, flag]) => ({...flag, name}) as unknown as Flag)
  const part = flagPart(flags, GLOBAL_CANDIDATES)
  return {...part, flags: [...part.flags, {value: '--help', description: 'explain the command'}]}
}

function ownPart(command: Facts | undefined) {
  if (!command) return NOTHING
  const {columns, candidates = {}, strict} = command
  const own = Object.values(command.flags).filter(
    ({hidden, name}) => !hidden && !Object.hasOwn(globalFlags, name),
  )
  const {values, ...part} = flagPart(own, candidates)
  const all = new Map(values)
  if (columns) all.set('--columns', plain(columns, true))
  for (const [index, {name, options}] of Object.values(command.args).entries()) {
    const found = valuesOf({name, options}, candidates)
    if (found) all.set(strict === false ? '#*' : `#${index}`, found)
  }
  return {...part, values: all}
}

function flagPart(flags: readonly Flag[], candidates: Candidates): Omit<Place, 'path' | 'words'> {
  const valued = flags.filter(flag => flag.type === 'option')
  const taking = valued.filter(({helpValue}) => !String(helpValue).startsWith('['))
  const values = valued.flatMap(flag => {
    const found = valuesOf(flag, candidates)
    return found ? namesOf(flag).map(name => [name, found] as const) : []
  })
  return {
    flags: flags.flatMap(flag => namesOf(flag).map(value => ({value, description: flag.summary ?? ''}))),
    valued: taking.flatMap(namesOf),
    values: new Map(values),
  }
}

function namesOf({name, char}: Flag): string[] {
  return char ? [`--${name}`, `-${char}`] : [`--${name}`]
}

interface Valued {
  readonly name: string
  readonly options?: readonly string[] | undefined
  readonly helpValue?: string | string[]
}

/** Where the values of a flag or an argument come from: the command says it, or it takes a file. */
function valuesOf({name, options, helpValue}: Valued, candidates: Candidates): Values | undefined {
  const source = candidates[name]
  if (options) return plain(options)
  if (source !== undefined)
    return source in FIXED ? given(FIXED[source as keyof typeof FIXED]()) : asked(source)
  return name === 'file' || /\bFILE\b/.test(String(helpValue)) ? {kind: 'files'} : undefined
}
