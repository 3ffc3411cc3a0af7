/** The names of commands: the one that words mean, and the likely one for a name that does not exist. */
import {type Failure, usage} from '../../contract/failure.js'
import {closest} from '../input/match.js'
import {GLOBAL_SWITCHES, GLOBAL_VALUES} from './global-flags.js'

/** Splits `words` after the longest name of a command or group; `ids` are as `hotels:search`. */
export function findName(words: readonly string[], ids: readonly string[]) {
  const isName = (count: number) => ids.some(id => `${id}:`.startsWith(`${words.slice(0, count).join(':')}:`))
  let count = 0
  while (count < words.length && isName(count + 1)) count += 1
  return {name: words.slice(0, count), left: words.slice(count)}
}

/** Refuses `words`, which name no command of `ids`; with `topics`, also no topic of help. */
export function unknownCommand(
  words: readonly string[],
  ids: readonly string[],
  topics: readonly string[] = [],
): Failure {
  const {name, left} = findName(words, ids)
  const typed = [...name, ...left.slice(0, 1)]
  const text = typed.join(' ')
  const asksHelp = topics.length > 0
  const isTopic = !asksHelp && isHelpTopic(text)
  const best = isTopic ? text : (closestName(typed, left.slice(1), ids) ?? closest(text, topics))
  const what = asksHelp ? 'command or help topic' : 'command'
  const hint = `did you mean \`bookctl ${isTopic || asksHelp ? 'help ' : ''}${best}\`?`
  return usage(
    'unknown_command',
    `unknown ${what} \`${text.slice(0, 60)}\``,
    best ? hint : 'list commands: bookctl --help',
  )
}

/** The command or group that was likely meant, by as many of the words as its name can have. */
function closestName(
  words: readonly string[],
  following: readonly string[],
  ids: readonly string[],
): string | undefined {
  // `webhooks`, `webhooks events`, `webhooks events list`.
  const within = (all: readonly string[]) => all.map((_, index) => all.slice(0, index + 1).join(' '))
  const names = [...new Set(ids.flatMap(id => within(id.split(':'))))]
  const most = Math.max(...names.map(name => name.split(' ').length))
  for (let count = Math.min(most, words.length + following.length); count >= words.length; count--) {
    const typed = [...words, ...following].slice(0, count).join(' ')
    const alike = names.filter(name => name.split(' ').length === count || name.endsWith(` ${typed}`))
    const best = closest(typed, count === words.length ? names : alike)
    if (best !== undefined) return best
  }
  return undefined
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
