/**
 * Finds candidates in the data that this machine has stored, for questions and for shell completion. It never fails,
 * sends nothing and writes nothing.
 */
import type {Command} from '@oclif/core/command'
import type * as Interfaces from '@oclif/core/interfaces'
import {EVENT_TYPES} from '../../contract/events.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {SCOPES} from '../../contract/operations.js'
import type {Client} from '../../contract/token-cache.js'
import {openState, type State} from '../../state/state.js'
import {fold} from '../input/match.js'
import type {ReservationUse} from '../session/reservation-choices.js'
import {SETTINGS} from '../session/setting-keys.js'
import {HELP_TOPICS} from './command-names.js'
import {NAMED_FLAGS} from './global-flags.js'

export type Candidate = readonly [value: string, description: string]

/**
 * The kinds of candidates, each with the function that reads them. With `client`, candidates that belong to a client
 * are limited to that client. The functions throw if a file cannot be read.
 */
const SOURCES = {
  profiles: state =>
    Object.entries(state.settings.read().profiles).map(([name, {base_url}]) => [name, base_url]),
  cities: (state, client) =>
    state.cities
      .list(client)
      .map(({id, name, country_code}) => [String(id), [name, country_code].filter(Boolean).join(', ')]),
  references: (state, client) => referencesOf(state, client),
  vouchers: (state, client) => referencesOf(state, client, 'voucher'),
  cancellable: (state, client) => referencesOf(state, client, 'cancel'),
  'event-types': () => Object.entries(EVENT_TYPES),
  scopes: () => Object.entries(SCOPES),
  settings: () => Object.values(SETTINGS).map(({name, summary}) => [name, summary]),
  'client-references': async (state, client) =>
    (await state.journal.list(client && {client})).map(entry => [entry.clientReferenceId, entry.outcome]),
  subscriptions: state =>
    state.secrets.listSigningSecrets().map(({subscription_id: id, profile}) => [id, `of profile ${profile}`]),
  offers: async state =>
    (await state.offers.valid(Date.now() / 1000)).map(
      ({offer_id, hotel_name, room_name, total, currency}) => [
        offer_id,
        [hotel_name, room_name, total, currency].filter(Boolean).join(' '),
      ],
    ),
  events: async state =>
    (await (await state.events()).page({}, {}, 100)).map(({eventId, type}) => [eventId, type ?? '']),
} as const satisfies Record<string, (state: State, client?: Client) => Candidate[] | Promise<Candidate[]>>

/**
 * Lists reservations in the journal. With `use`, lists only those that can probably be used for it. Guests are not
 * shown, because this machine does not store them.
 */
async function referencesOf(
  state: State,
  client: Client | undefined,
  use?: ReservationUse,
): Promise<Candidate[]> {
  const {mayBeFor, reservationText} = await import('../session/reservation-choices.js')
  return (await state.journal.list(client && {client}))
    .filter(({outcome}) => use === undefined || mayBeFor(use, outcome))
    .map(({reservationRef, result, outcome, clientReferenceId}) => {
      const texts = [reservationText(result ?? {}), outcome, clientReferenceId]
      return [reservationRef ?? '', texts.filter(Boolean).join(', ')]
    })
}

export type Source = keyof typeof SOURCES

/** The kind of candidates for each argument and flag of a command that has candidates. */
export type Candidates = Readonly<Record<string, Source>>

/** Kinds of which this machine knows all candidates. A question offers no other value for them. */
export const COMPLETE: ReadonlySet<Source> = new Set(['profiles', 'event-types'])

/** Returns the candidates of a kind, each value once, or none if they cannot be read. */
export async function candidatesOf(kind: Source, configDirectory: string, client?: Client) {
  const state = openState(configDirectory, {writes: false})
  try {
    return [...new Map(await SOURCES[kind](state, client))].filter(([value]) => value !== '')
  } catch {
    return []
  } finally {
    state.close()
  }
}

/** A command of the manifest, with the static fields that oclif does not know. */
type Facts = Command.Loadable & {readonly columns?: readonly string[]; readonly candidates?: Candidates}
type Flag = Command.Flag.Any
type Option = Extract<Flag, {type: 'option'}>
type Valued = Partial<Pick<Option, 'options' | 'helpValue' | 'delimiter'>> & {readonly name: string}

/** Maximum number of candidates. Shells ask before they list more than about this many. */
const MOST_CANDIDATES = 200

/**
 * The values that can be typed at one place. With `hasNames`, descriptions are searched if no value matches, because
 * people know cities by name.
 */
interface Values {
  readonly candidates: readonly Candidate[]
  readonly isList?: boolean
  readonly isFile?: boolean
  readonly hasNames?: boolean
}

/**
 * Returns the reply to the script of `shell`. Bash passes its line, COMP_TYPE and COMP_WORDBREAKS. Other shells pass
 * the words, with a colon before the last one.
 */
export async function answer(config: Interfaces.Config, shell: string, given: readonly string[]) {
  const [first, type, breaks] = given
  if (Object.hasOwn(SOURCES, shell)) {
    const candidates = await candidatesOf(shell as Source, config.configDir)
    return linesOf(matching({candidates, hasNames: true}, first ?? ''))
  }
  if (first === undefined) return ''
  const line = shell === 'bash' ? readLine(first, breaks) : undefined
  const words = line?.words.slice(1) ?? given.with(-1, (given.at(-1) ?? '').slice(1))
  const {prefix, word, values} = await placeOf(new Commands(config), words)
  // Tells the shell to complete files.
  if (values.isFile) return ':files\n'
  const comma = values.isList ? word.lastIndexOf(',') + 1 : 0
  const before = prefix + word.slice(0, comma)
  const found = matching(values, word.slice(comma)).map(([value, text]) => [before + value, text] as const)
  return line ? bashReplies(found, line, type) : linesOf(found)
}

function linesOf(candidates: readonly Candidate[]): string {
  return candidates.map(([value, description]) => `${value}\t${description}\n`).join('')
}

/**
 * Finds the candidates for the last of `typed`, the words after `bookctl`. `prefix` is the start of that word that must
 * stay, such as `--sort=`; `word` is the part to complete.
 */
async function placeOf(commands: Commands, typed: readonly string[]) {
  const current = typed.at(-1) ?? ''
  let path: readonly string[] = []
  let option: Option | undefined
  let isAfterDashes = false
  let position = 0
  for (const word of typed.slice(0, -1)) {
    const isValue = option !== undefined && (!isOptional(option) || /^\d+$/.test(word))
    option = undefined
    if (isValue) continue
    if (isAfterDashes) position += 1
    else if (word === '--') isAfterDashes = true
    else if (word.startsWith('-')) option = commands.option(path, word)
    else if (position === 0 && commands.below(path).some(([value]) => value === word)) path = [...path, word]
    else position += 1
  }
  if (option !== undefined && !isOptional(option))
    return {prefix: '', word: current, values: await commands.values(path, option)}
  if (!isAfterDashes && current.startsWith('-')) {
    const [, name, value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
    if (name === undefined) return {prefix: '', word: current, values: {candidates: commands.flagNames(path)}}
    return {prefix: `${name}=`, word: value, values: await commands.values(path, commands.option(path, name))}
  }
  const values = await commands.values(path, commands.argument(path, position))
  const words = position === 0 ? commands.below(path) : []
  return {prefix: '', word: current, values: {...values, candidates: [...words, ...values.candidates]}}
}

function matching({candidates, hasNames}: Values, word: string): Candidate[] {
  // Values that sanitising would change are left out; they could break the line.
  const isPlain = ([value]: Candidate) => value !== '' && sanitizeLine(value, 200) === value
  const clean = [...new Map(candidates.filter(isPlain))].map(
    ([value, text]): Candidate => [value, sanitizeLine(text, 60)],
  )
  const beginning = clean.filter(([value]) => value.startsWith(word))
  const named = () => clean.filter(([, text]) => fold(text).includes(fold(word)))
  return (beginning.length > 0 || !hasNames ? beginning : named()).slice(0, MOST_CANDIDATES)
}

class Commands {
  private readonly all: readonly Facts[]

  constructor(private readonly config: Interfaces.Config) {
    this.all = config.commands.filter(({hidden}) => !hidden)
  }

  private find(path: readonly string[]): Facts | undefined {
    return this.all.find(({id}) => id === path.join(':'))
  }

  /** Returns the words that can follow `path`: commands, groups and help topics. */
  below(path: readonly string[]): Candidate[] {
    const [first, ...more] = path
    const hidden = (id: string): Candidate => [id, this.config.findCommand(id)?.summary ?? '']
    if (first === undefined) return [...this.children([]), hidden('help'), hidden('version')]
    if (first !== 'help') return this.children(path)
    return [...this.children(more), ...(more.length === 0 ? Object.entries(HELP_TOPICS) : [])]
  }

  private children(path: readonly string[]): Candidate[] {
    const beginning = path.map(word => `${word}:`).join('')
    const ids = this.all.map(({id}) => id).filter(id => id.startsWith(beginning))
    const words = new Set(ids.map(id => id.slice(beginning.length).split(':')[0] ?? ''))
    const summary = (id: string) => this.find([id])?.summary ?? this.config.findTopic(id)?.description ?? ''
    return [...words].map(value => [value, summary(beginning + value)])
  }

  private flags(path: readonly string[]): Flag[] {
    const {flags} = this.find(path) ?? {}
    return (flags ? Object.values(flags) : NAMED_FLAGS).filter(({hidden}) => !hidden)
  }

  flagNames(path: readonly string[]): Candidate[] {
    const names = this.flags(path).flatMap(flag =>
      namesOf(flag).map(name => [name, flag.summary ?? ''] as const),
    )
    return [...names, ['--help', 'explain the command']]
  }

  /** Returns the flag `name` of a command if it takes a value. */
  option(path: readonly string[], name: string): Option | undefined {
    const flag = this.flags(path).find(each => namesOf(each).includes(name))
    return flag?.type === 'option' ? flag : undefined
  }

  argument(path: readonly string[], position: number): Valued | undefined {
    const {args = {}, strict} = this.find(path) ?? {}
    const all = Object.values(args)
    const takesMore = strict === false || all.at(-1)?.multiple
    return all[takesMore ? Math.min(position, all.length - 1) : position]
  }

  /**
   * Returns the candidates for the value of a flag or for an argument: of the kind that the command declares, fixed
   * options, or files.
   */
  async values(path: readonly string[], spec: Valued | undefined): Promise<Values> {
    if (spec === undefined) return {candidates: []}
    const {name, options, helpValue, delimiter} = spec
    const {columns = [], candidates} = this.find(path) ?? {}
    const source = {profile: 'profiles' as const, ...candidates}[name]
    const isList = name === 'columns' || delimiter === ','
    if (source !== undefined) {
      const found = await candidatesOf(source, this.config.configDir)
      return {candidates: found, hasNames: true, isList}
    }
    const words = options ?? (name === 'columns' ? columns : [])
    const isFile = name === 'file' || /\b(FILE|DIR)\b/.test(String(helpValue))
    return {candidates: words.map(value => [value, '']), isList, isFile}
  }
}

function namesOf({name, char}: Flag): string[] {
  return char ? [`--${name}`, `-${char}`] : [`--${name}`]
}

/**
 * Reports whether the value of a flag is optional, as in `--wait [SECONDS]`. Only a number after such a flag is its
 * value. oclif's manifest does not contain `whenAlone`, so the help text decides.
 */
function isOptional({helpValue}: Option): boolean {
  return String(helpValue).startsWith('[')
}

/**
 * Splits bash's line into words, because bash passes the line with its quotes and inserts replies as they are. `words`
 * have no quotes or backslashes; the last one is being typed and may be empty. `fixed` is the start of the last word
 * that bash keeps, up to the open quote or the last of `breaks` (COMP_WORDBREAKS); bash replaces the rest.
 */
function readLine(line: string, breaks = '') {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  let brokenAt = 0
  let quotedAt = 0
  for (let index = 0; index < line.length; index++) {
    const isEscaped = line[index] === '\\' && quote !== "'"
    if (isEscaped) index += 1
    const character = line.charAt(index)
    const isBare = !isEscaped && quote === ''
    if (isBare && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      brokenAt = 0
      continue
    }
    word ??= ''
    if (!isEscaped && character === quote) quote = ''
    else if (isBare && /['"]/.test(character)) {
      quote = character
      quotedAt = word.length
    } else {
      word += character
      if (isBare && breaks.includes(character)) brokenAt = word.length
    }
  }
  const last = word ?? ''
  return {words: [...words, last], quote, fixed: last.slice(0, quote === '' ? brokenAt : quotedAt)}
}

/** With this COMP_TYPE, bash only lists candidates and inserts nothing, so descriptions can be shown. */
const LISTING = '63'

/**
 * Returns the candidates, one per line. Candidates that match only by description are included only if bash lists them,
 * because bash would otherwise insert their common prefix.
 */
function bashReplies(
  candidates: readonly Candidate[],
  {words, quote, fixed}: ReturnType<typeof readLine>,
  type = '',
): string {
  const isList = candidates.length > 1 && type === LISTING
  const typed = words.at(-1) ?? ''
  return candidates
    .filter(([value]) => candidates.length === 1 || isList || value.startsWith(typed))
    .map(([value, description]) => {
      const reply = escapeWithin(quote, value.startsWith(fixed) ? value.slice(fixed.length) : value)
      return isList && description !== '' ? `${reply}  ${description}\n` : `${reply}\n`
    })
    .join('')
}

/**
 * Escapes `text` for bash, inside the open `quote` or without quotes. Double quotes do not protect `!` (history
 * expansion).
 */
function escapeWithin(quote: string, text: string): string {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  if (quote === '"') return text.replace(/[\\"$`]/g, '\\$&').replaceAll('!', `"'!'"`)
  return text.replace(/[^\p{L}\p{N}_.,/:=@+%-]/gu, '\\$&')
}
