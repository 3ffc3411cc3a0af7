/** The names of commands: the one that words mean, and the likely one for a name that does not exist. */
import {type Failure, usage} from '../../contract/failure.js'
import {closest} from '../input/match.js'
import {VERSION_HINT} from '../input/usage-errors.js'
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
  const elsewhere = isTopic ? [text] : namedElsewhere(words, ids)
  const best = closestName(typed, left.slice(1), ids) ?? closest(text, topics) ?? []
  const meant = (elsewhere.length > 0 ? elsewhere : [best].flat()).map(
    command => `\`bookctl ${isTopic || asksHelp ? 'help ' : ''}${command}\``,
  )
  const what = asksHelp ? 'command or help topic' : 'command'
  const list = `list commands: bookctl ${[...name, '--help'].join(' ')}`
  const hint = meant.length > 0 ? `did you mean ${meant.join(' or ')}?` : list
  return usage('unknown_command', `unknown ${what} \`${text.slice(0, 60)}\``, hint)
}

/** What users of gh, stripe and aws type, and what does it here. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  auth: ['login', 'whoami'],
  'auth login': ['login'],
  'auth logout': ['logout'],
  'auth status': ['whoami'],
  'auth token': ['token'],
  balance: ['account'],
  book: ['reserve'],
  booking: ['reservations list'],
  bookings: ['reservations list'],
  browse: ['sandbox start'],
  buy: ['reserve'],
  check: ['doctor'],
  completion: ['autocomplete'],
  completions: ['autocomplete'],
  configure: ['login', 'config set'],
  'config view': ['config list'],
  'configure list': ['config list'],
  create: ['reserve'],
  delete: ['reservations cancel', 'api'],
  describe: ['reservations show', 'hotels show'],
  edit: ['reservations update'],
  endpoints: ['webhooks list'],
  events: ['webhooks events'],
  'events resend': ['webhooks events replay'],
  find: ['hotels search'],
  fixtures: ['demo', 'sandbox start'],
  get: ['reservations show', 'api'],
  'hotels book': ['reserve'],
  'hotels reserve': ['reserve'],
  init: ['login'],
  list: ['reservations list'],
  logs: ['webhooks events list', 'journal'],
  'logs tail': ['webhooks listen'],
  ls: ['reservations list'],
  me: ['whoami'],
  offers: ['hotels search'],
  open: ['sandbox start'],
  order: ['reserve'],
  patch: ['api'],
  ping: ['doctor'],
  post: ['api'],
  refund: ['reservations cancel'],
  request: ['api'],
  resend: ['webhooks events replay'],
  'reservations book': ['reserve'],
  'reservations create': ['reserve'],
  'reservations new': ['reserve'],
  samples: ['demo'],
  show: ['reservations show', 'hotels show'],
  status: ['whoami', 'doctor'],
  'sts get-caller-identity': ['whoami'],
  subscriptions: ['webhooks list'],
  switch: ['profiles use'],
  tail: ['webhooks listen'],
  trigger: ['sandbox trigger', 'webhooks test'],
  update: ['reservations update'],
  view: ['reservations show', 'hotels show'],
}

/** The same for the last word within a group, the likeliest first. */
const VERBS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    [
      ['get', 'view', 'describe', 'retrieve', 'info', 'status'],
      ['show', 'get', 'list', 'download'],
    ],
    [
      ['show', 'cat', 'read'],
      ['get', 'list', 'download'],
    ],
    [
      ['ls', 'list', 'find', 'query', 'all'],
      ['list', 'search'],
    ],
    [['search'], ['list']],
    [
      ['new', 'add', 'register'],
      ['create', 'set'],
    ],
    [
      ['rm', 'delete', 'remove', 'destroy', 'del'],
      ['delete', 'remove', 'unset', 'cancel', 'reset'],
    ],
    [
      ['edit', 'modify', 'change', 'patch', 'set', 'enable', 'disable'],
      ['update', 'set'],
    ],
    [
      ['resend', 'retry', 'redeliver'],
      ['replay', 'deliveries'],
    ],
    [
      ['trigger', 'send', 'ping'],
      ['trigger', 'test'],
    ],
    [
      ['tail', 'watch', 'forward', 'serve'],
      ['listen', 'start'],
    ],
    [['switch', 'select', 'activate'], ['use']],
    [
      ['save', 'fetch', 'pdf'],
      ['download', 'export'],
    ],
    [['time', 'advance'], ['clock']],
    [['run', 'up', 'open'], ['start']],
    [
      ['logs', 'log', 'attempts'],
      ['deliveries', 'list'],
    ],
  ].flatMap(([typed = [], verbs = []]) => typed.map(word => [word, verbs])),
)

/** Commands of `ids` for words that are another program's. */
function namedElsewhere(words: readonly string[], ids: readonly string[]): string[] {
  const isName = (name: string) => ids.some(id => `${id}:`.startsWith(`${name.replaceAll(' ', ':')}:`))
  for (let count = 3; count > 0; count--) {
    const typed = words.slice(0, count).join(' ').toLowerCase()
    const found = Object.hasOwn(ALIASES, typed) ? ALIASES[typed]?.filter(isName) : undefined
    if (found && found.length > 0) return found
  }
  const {name, left} = findName(words, ids)
  const [verb = ''] = left
  if (name.length === 0 || !Object.hasOwn(VERBS, verb)) return []
  return (VERBS[verb] ?? [])
    .map(other => [...name, other].join(' '))
    .filter(isName)
    .slice(0, 1)
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
  if (flag === '-V') return usage('unknown_flag', 'unknown flag -V', VERSION_HINT)
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
