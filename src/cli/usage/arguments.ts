/** The command line before oclif's parser reads it: which command, with which arguments. Pure; prints and sends nothing. */
import {usage} from '../../contract/failure.js'
import {holdsSecret} from '../../contract/identifiers.js'
import {TOPICS} from '../help/topics/topics.js'
import {GLOBAL_SWITCHES, GLOBAL_VALUES} from './global-flags.js'
import {closest} from './suggest.js'

export type Order =
  | {readonly kind: 'run'; readonly id: string; readonly argv: readonly string[]}
  | {readonly kind: 'help'; readonly subject: readonly string[]}
  /** No command, or a group alone, with --json: what there is to run, as a document. */
  | {readonly kind: 'list'; readonly subject: readonly string[]}
  | {readonly kind: 'version'; readonly argv: readonly string[]}
  /** A completion script asks what this machine knows; not for people. */
  | {readonly kind: 'candidates'; readonly argv: readonly string[]}

/** The word of the order `candidates`. */
export const CANDIDATES_WORD = '__complete'

/** Whether `--json` (or `--format json`) stands before `--`. */
export function wantsJson(argv: readonly string[]): boolean {
  const own = beforeDashes(argv)
  return (
    own.includes('--json') ||
    own.includes('--format=json') ||
    own.some((word, index) => word === 'json' && own[index - 1] === '--format')
  )
}

/**
 * Finds the command in `argv`. Global flags may stand before its name; `commandIds` are as `hotels:search`.
 * Throws a usage Failure for a command that does not exist, and for a secret among the arguments.
 */
export function readOrder(argv: readonly string[], commandIds: readonly string[]): Order {
  if (argv[0] === CANDIDATES_WORD) return {kind: 'candidates', argv: argv.slice(1)}
  refuseSecrets(argv)
  const {ahead, rest} = takeGlobalFlags(argv)
  const first = rest[0]
  if (isVersionHelp(rest)) return {kind: 'help', subject: []}
  if (first === '--version' || first === 'version')
    return {kind: 'version', argv: [...ahead, ...rest.slice(1)]}

  const own = beforeDashes(rest)
  if (first === 'help') return {kind: 'help', subject: readSubject(rest.slice(1), commandIds, TOPIC_NAMES)}
  if (own.some(isHelpFlag)) return {kind: 'help', subject: readSubject(own, commandIds, [])}
  const {id, words, argv: left} = findCommand(rest, ahead, commandIds)
  if (id !== undefined) return {kind: 'run', id, argv: joinOptionalValues([...ahead, ...left])}
  if (words.length > 0 && !isGroup(words, commandIds)) throw unknownCommand(words, left, commandIds)
  const {rest: unknown} = takeGlobalFlags(left)
  if (unknown.length > 0) throw unknownFlagWithoutCommand(unknown)
  return {kind: wantsJson(argv) ? 'list' : 'help', subject: words}
}

/** `version` is no command of its own: its help is the first screen, which names it. */
function isVersionHelp([first, ...rest]: readonly string[]): boolean {
  return first === 'help' ? rest[0] === 'version' : first === 'version' && rest.some(isHelpFlag)
}

const TOPIC_NAMES = Object.keys(TOPICS)

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** The command, group or topic that help is asked for. Throws usage when there is none of that name. */
function readSubject(
  rest: readonly string[],
  commandIds: readonly string[],
  topics: readonly string[],
): readonly string[] {
  const asked = rest.filter(word => !isHelpFlag(word))
  const {id, words, argv: left} = findCommand(asked, [], commandIds)
  const [first = ''] = words
  if (words.length === 1 && (topics.includes(first) || first === 'help')) return first === 'help' ? [] : words
  if (id === undefined && words.length > 0 && !isGroup(words, commandIds))
    throw unknownCommand(words, left, commandIds, topics)
  return words
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

/** Splits off the global flags, with their values, that stand before the first other word. */
function takeGlobalFlags(argv: readonly string[]): {ahead: string[]; rest: string[]} {
  let index = 0
  while (index < argv.length) {
    const word = argv[index] ?? ''
    if (GLOBAL_SWITCHES.has(word)) index += 1
    else if (GLOBAL_VALUES.has(word)) index += 2
    else if (GLOBAL_VALUES.has(word.split('=', 1)[0] ?? '') && word.includes('=')) index += 1
    else break
  }
  return {ahead: argv.slice(0, index), rest: argv.slice(index)}
}

/** The longest run of words that names a command, its id, and what follows; global flags may stand between. */
function findCommand(rest: readonly string[], ahead: string[], commandIds: readonly string[]) {
  const words: string[] = []
  let argv = [...rest]
  while (argv.length > 0) {
    const {ahead: between, rest: after} = takeGlobalFlags(argv)
    const word = after[0]
    if (word === undefined || word.startsWith('-')) break
    const longer = [...words, ...word.split(':')]
    const known = commandIds.includes(longer.join(':')) || isGroup(longer, commandIds)
    if (!known && commandIds.includes(words.join(':'))) break
    ahead.push(...between)
    argv = after.slice(1)
    words.push(...word.split(':'))
    if (!known) break
  }
  const id = words.join(':')
  return {id: commandIds.includes(id) ? id : undefined, words, argv}
}

function isGroup(words: readonly string[], commandIds: readonly string[]): boolean {
  const prefix = `${words.join(':')}:`
  return commandIds.some(id => id.startsWith(prefix))
}

/** `--wait` may stand alone, which oclif does not know: then it means `--wait=900`. */
function joinOptionalValues(argv: readonly string[]): string[] {
  const joined: string[] = []
  for (const [index, word] of argv.entries()) {
    if (word === '--') return [...joined, ...argv.slice(index)]
    const isSeconds = argv[index - 1] === '--wait' && /^\d+$/.test(word)
    if (isSeconds) joined[joined.length - 1] = `--wait=${word}`
    else joined.push(word === '--wait' ? '--wait=900' : word)
  }
  return joined
}

/**
 * `left` is what follows `words`, which may be the rest of the command's name. `topics` are given when help was asked
 * for; else a topic's name is no command, and the hint says so.
 */
function unknownCommand(
  words: readonly string[],
  left: readonly string[],
  commandIds: readonly string[],
  topics?: readonly string[],
) {
  const typed = words.join(' ')
  const best = closestCommand(words, left, commandIds) ?? closest(typed, topics ?? [])
  const isTopicName = topics === undefined && TOPIC_NAMES.includes(typed)
  const meant = isTopicName || topics !== undefined ? `help ${isTopicName ? typed : best}` : best
  const hint =
    best || isTopicName ? `did you mean \`bookctl ${meant}\`?` : 'bookctl --help lists the commands'
  const what = topics === undefined ? 'command' : 'command or help topic'
  return usage('unknown_command', `there is no ${what} \`${typed.slice(0, 60)}\``, hint)
}

/** The command or group that was likely meant, by as many of the words as stand for one. */
function closestCommand(
  words: readonly string[],
  left: readonly string[],
  commandIds: readonly string[],
): string | undefined {
  const end = left.findIndex(word => word.startsWith('-'))
  const following = end < 0 ? left : left.slice(0, end)
  const names = [...new Set(commandIds.flatMap(id => namesWithin(id)))]
  const most = Math.max(...names.map(name => name.split(' ').length))
  for (let count = Math.min(most, words.length + following.length); count >= words.length; count--) {
    const typed = [...words, ...following].slice(0, count).join(' ')
    const alike = names.filter(name => name.split(' ').length === count || name.endsWith(` ${typed}`))
    const best = closest(typed, count === words.length ? names : alike)
    if (best !== undefined) return best
  }
  return undefined
}

/** `webhooks`, `webhooks events`, `webhooks events list`. */
function namesWithin(id: string): string[] {
  return id.split(':').map((_, index, all) => all.slice(0, index + 1).join(' '))
}

function unknownFlagWithoutCommand(argv: readonly string[]) {
  const flag = ((argv[0] ?? '').split('=', 1)[0] ?? '').slice(0, 40)
  const best = closest(flag, [...GLOBAL_SWITCHES, ...GLOBAL_VALUES])
  if (best !== undefined && /^--[\w-]+$/.test(flag))
    return usage('unknown_flag', `unknown flag ${flag}`, `did you mean ${best}?`)
  const hint = 'bookctl --help lists the commands; flags of a command come after its name'
  return usage('no_command', `no command was given with ${flag}`, hint)
}

/** A secret on the command line is in the process list and the shell's history already; it is not used or echoed. */
function refuseSecrets(argv: readonly string[]): void {
  if (!argv.some(holdsSecret)) return
  throw usage(
    'secret_on_command_line',
    'a secret stands on the command line, where the process list and the shell history show it',
    'pass it by --client-secret-stdin, --client-secret-file or BOOKCTL_CLIENT_SECRET, and consider renewing it',
  )
}
