/**
 * What there is to complete, read from the command manifest: the words under each command, its flags, and where the
 * values of flags and arguments come from. The scripts of all shells are made from it.
 */
import type {Command} from '@oclif/core/command'
import type * as Interfaces from '@oclif/core/interfaces'
import {EVENT_TYPES} from '../../contract/events.js'
import {SCOPES} from '../../contract/scopes.js'
import {TOPICS} from '../help/topics/topics.js'
import {SETTING_KEYS} from '../settings/keys.js'
import type {Candidate, Source} from '../usage/candidates.js'
import {globalFlags} from '../usage/global-flags.js'
import type {Candidates} from '../usage/missing-values.js'

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

/** `--wait` may stand alone: what follows it is not its value. */
const VALUE_MAY_BE_ABSENT = new Set(['wait'])

const given = (candidates: readonly Candidate[], isList = false): Values => ({
  kind: 'given',
  candidates,
  isList,
})
const asked = (source: Source): Values => ({kind: 'asked', source})
const described = (of: Readonly<Record<string, string>>) =>
  given(Object.entries(of).map(([value, description]) => ({value, description})))
const plain = (values: readonly string[], isList = false) =>
  given(
    values.map(value => ({value, description: ''})),
    isList,
  )

const EVENT_VALUES = described(EVENT_TYPES)

/** Values of flags by the flag's name. */
const FLAG_VALUES: Readonly<Record<string, Values>> = {
  profile: asked('profiles'),
  city: asked('cities'),
  resume: asked('client-references'),
  id: asked('events'),
  scope: described(SCOPES),
  event: EVENT_VALUES,
  type: EVENT_VALUES,
}

/** Values of arguments by command and argument; the first that matches. */
const ARGUMENT_VALUES: readonly (readonly [RegExp, Values])[] = [
  [/^profiles \S+ name$/, asked('profiles')],
  [/^webhooks events \S+ /, asked('events')],
  [/^webhooks \S+ id$/, asked('subscriptions')],
  [/^journal \S+ reference$/, asked('client-references')],
  [/^config \S+ key$/, given(SETTING_KEYS.map(({name, summary}) => ({value: name, description: summary})))],
  [/ offer(_id)?$/, asked('offers')],
  [/ (reservation_)?ref$/, asked('references')],
  [/ file$/, {kind: 'files'}],
]

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
    return {path, words: wordsUnder(path), ...ownPart(command, path)}
  })
  const topics = Object.entries(TOPICS).map(([value, {summary}]) => ({value, description: summary}))
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
  const part = flagPart(flags)
  return {...part, flags: [...part.flags, {value: '--help', description: 'explain the command'}]}
}

function ownPart(command: Facts | undefined, path: string) {
  if (!command) return NOTHING
  const {values, ...part} = flagPart(
    Object.values(command.flags).filter(({hidden, name}) => !hidden && !Object.hasOwn(globalFlags, name)),
  )
  const {columns, candidates} = command
  const argumentValues = Object.values(command.args).map(({name, options}) =>
    options ? plain(options) : (toldBy(candidates?.[name]) ?? valuesOfArgument(`${path} ${name}`)),
  )
  const all = new Map(values)
  if (columns) all.set('--columns', plain(columns, true))
  for (const {value} of part.flags) {
    const told = toldBy(candidates?.[value.replace(/^--/, '')])
    if (told) all.set(value, told)
  }
  for (const [index, found] of argumentValues.entries())
    if (found) all.set(command.strict === false ? '#*' : `#${index}`, found)
  return {...part, values: all}
}

/** What the command says its words are; event types stand in the script, as they do not change. */
function toldBy(source: Source | undefined): Values | undefined {
  if (source === 'event-types') return EVENT_VALUES
  return source && asked(source)
}

function valuesOfArgument(place: string): Values | undefined {
  return ARGUMENT_VALUES.find(([pattern]) => pattern.test(place))?.[1]
}

function flagPart(flags: readonly Flag[]): Omit<Place, 'path' | 'words'> {
  const taking = flags.filter(({type, name}) => type === 'option' && !VALUE_MAY_BE_ABSENT.has(name))
  const values = flags.flatMap(flag => {
    const found = valuesOfFlag(flag)
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

function valuesOfFlag(flag: Flag): Values | undefined {
  if (flag.type !== 'option') return undefined
  if (flag.options) return plain(flag.options)
  if (flag.name === 'file' || /\bFILE\b/.test(String(flag.helpValue))) return {kind: 'files'}
  return Object.hasOwn(FLAG_VALUES, flag.name) ? FLAG_VALUES[flag.name] : undefined
}
