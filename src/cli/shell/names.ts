/** The names of commands: which one a line of words means, and which was likely meant by one that does not exist. */
import {type Failure, usage} from '../../contract/failure.js'
import {closest} from '../input/match.js'
import {GLOBAL_SWITCHES, GLOBAL_VALUES} from './global-flags.js'

export interface Found {
  /** The longest run of words that names a command or a group: `['hotels', 'search']`. */
  readonly name: readonly string[]
  /** The words after it. */
  readonly left: readonly string[]
}

/** Looks for the name that `words` begin with; `ids` are as `hotels:search`. */
export function findName(words: readonly string[], ids: readonly string[]): Found {
  let count = 0
  while (count < words.length && isName(words.slice(0, count + 1), ids)) count += 1
  return {name: words.slice(0, count), left: words.slice(count)}
}

function isName(words: readonly string[], ids: readonly string[]): boolean {
  const id = words.join(':')
  return ids.some(one => one === id || one.startsWith(`${id}:`))
}

/**
 * Refuses `words`, which name no command of `ids`. With `topics`, help was asked for; otherwise the name of a topic is no
 * command, and the hint says how to read it.
 */
export function unknownCommand(
  words: readonly string[],
  ids: readonly string[],
  topics: readonly string[] = [],
): Failure {
  const {name, left} = findName(words, ids)
  const typed = [...name, ...left.slice(0, 1)]
  const best = closestName(typed, left.slice(1), ids) ?? closest(typed.join(' '), topics)
  const isTopic = topics.length === 0 && isHelpTopic(typed.join(' '))
  const meant = isTopic ? `help ${typed.join(' ')}` : best && topics.length > 0 ? `help ${best}` : best
  const what = topics.length === 0 ? 'command' : 'command or help topic'
  return usage(
    'unknown_command',
    `unknown ${what} \`${typed.join(' ').slice(0, 60)}\``,
    meant ? `did you mean \`bookctl ${meant}\`?` : 'list commands: bookctl --help',
  )
}

/** The command or group that was likely meant, by as many of the words as can belong to its name. */
function closestName(
  words: readonly string[],
  following: readonly string[],
  ids: readonly string[],
): string | undefined {
  const names = [...new Set(ids.flatMap(namesWithin))]
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

/** Refuses the flag `typed` where a command was expected, or after a group alone. */
export function flagWithoutCommand(typed: string): Failure {
  const flag = (typed.split('=', 1)[0] ?? '').slice(0, 40)
  const best = closest(flag, [...GLOBAL_SWITCHES, ...GLOBAL_VALUES])
  if (best !== undefined && /^--[\w-]+$/.test(flag))
    return usage('unknown_flag', `unknown flag ${flag}`, `did you mean ${best}?`)
  const hint = 'list commands: bookctl --help; flags of a command come after its name'
  return usage('no_command', `missing command before ${flag}`, hint)
}

/** The help topics: what `bookctl help TOPIC` explains besides the commands, each with its line in the list of topics. */
export const HELP_TOPICS = {
  environment: 'environment variables and precedence',
  'exit-codes': 'exit codes, for scripts',
  output: 'tables, pipes, JSON, columns, queries',
  sandbox: 'starting, clock, payments, fault injection',
  webhooks: 'receiving events, and why a signature fails',
} as const

export function isHelpTopic(name: string): name is keyof typeof HELP_TOPICS {
  return Object.hasOwn(HELP_TOPICS, name)
}
