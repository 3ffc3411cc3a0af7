/** Finds the command for the words of a command line, and suggests one if no such command exists. */
import type {Hook} from '@oclif/core/hooks'
import {type Failure, usage} from '../../contract/failure.js'
import {closest, didYouMean} from '../input/match.js'
import {SEE_HELP, unknownFlag} from '../input/usage-errors.js'
import {globalFlags} from './global-flags.js'

/** Handles words for which oclif finds no command: unexpected arguments, a mistyped name, or a flag before the name. */
const commandNotFound: Hook.CommandNotFound = async ({id, argv = [], config}) => {
  if (id.startsWith('-')) throw flagWithoutCommand(id)
  const ids = config.commands.filter(({hidden}) => !hidden).map(command => command.id)
  const words = id.split(':')
  const {name, left} = findName(words, config.commandIDs)
  const command = config.findCommand(name.join(':'))
  // The words before the first flag may belong to the name of a command.
  const end = argv.findIndex(word => word.startsWith('-'))
  if (!command) throw unknownCommand([...words, ...(end < 0 ? argv : argv.slice(0, end))], ids)
  // If a command has no arguments, oclif takes all words as its name. The command itself then refuses the unexpected
  // words.
  const isAlone = name.length === 1 && Object.keys(command.args).length === 0
  if (isAlone && isRestated(command.id, (left[0] ?? '').toLowerCase()))
    throw usage('unexpected_argument', 'one unexpected argument', didYouMean(`\`bookctl ${command.id}\``))
  return config.runCommand(command.id, [...left, ...argv], command)
}

export default commandNotFound

/** Splits `words` after the longest name of a command or group. `ids` have the form `hotels:search`. */
export function findName(words: readonly string[], ids: readonly string[]) {
  const isName = (count: number) => ids.some(id => `${id}:`.startsWith(`${words.slice(0, count).join(':')}:`))
  let count = 0
  while (count < words.length && isName(count + 1)) count += 1
  return {name: words.slice(0, count), left: words.slice(count)}
}

/**
 * Returns the error for `words`, which are not a command in `ids`. `topics` are given if the user asked for help, and
 * could have meant a topic.
 */
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
  const hint = meant.length > 0 ? didYouMean(meant.join(' or ')) : list
  return usage('unknown_command', `unknown ${what} \`${text.slice(0, 60)}\``, hint)
}

/** Words of gh, stripe and aws, with our commands for the same purpose, most likely first. */
export const ALIASES = byWord([
  {words: ['balance', 'balances'], commands: ['account']},
  {words: ['patch', 'post', 'request'], commands: ['api']},
  {words: ['completion', 'completions'], commands: ['autocomplete']},
  {words: ['config view', 'configure list'], commands: ['config list']},
  {words: ['fixtures', 'samples'], commands: ['demo']},
  {words: ['check', 'ping'], commands: ['doctor']},
  {words: ['find', 'offers'], commands: ['hotels search']},
  {words: ['auth login', 'configure', 'init'], commands: ['login']},
  {words: ['auth'], commands: ['login', 'whoami']},
  {words: ['auth logout'], commands: ['logout']},
  {words: ['switch'], commands: ['profiles use']},
  {
    words: [
      'book',
      'buy',
      'create',
      'order',
      'hotels book',
      'hotels reserve',
      'reservations book',
      'reservations create',
      'reservations new',
    ],
    commands: ['reserve'],
  },
  {words: ['refund', 'refunds'], commands: ['reservations cancel']},
  {words: ['delete'], commands: ['reservations cancel', 'api']},
  {words: ['booking', 'bookings', 'list', 'ls'], commands: ['reservations list']},
  {
    words: ['charges', 'payment', 'payment_intents', 'payments', 'transactions'],
    commands: ['reservations list', 'sandbox pay'],
  },
  {words: ['get'], commands: ['reservations show', 'api']},
  {words: ['describe', 'show', 'view'], commands: ['reservations show', 'hotels show']},
  {words: ['edit', 'update'], commands: ['reservations update']},
  {words: ['ps', 'sandbox stop'], commands: ['sandbox list']},
  {words: ['browse', 'open'], commands: ['sandbox start']},
  {words: ['trigger'], commands: ['sandbox trigger', 'webhooks test']},
  {words: ['auth token'], commands: ['token']},
  {words: ['events'], commands: ['webhooks events']},
  {words: ['webhooks attempts', 'webhooks log', 'webhooks logs'], commands: ['webhooks events list']},
  {
    words: ['sandbox follow', 'sandbox log', 'sandbox logs', 'sandbox tail', 'sandbox watch'],
    commands: ['sandbox requests'],
  },
  {words: ['logs'], commands: ['webhooks events list', 'journal']},
  {words: ['events resend', 'resend'], commands: ['webhooks events replay']},
  {words: ['endpoints', 'subscriptions'], commands: ['webhooks list']},
  {words: ['logs tail', 'tail'], commands: ['webhooks listen']},
  {words: ['auth status', 'me', 'sts get-caller-identity'], commands: ['whoami']},
  {words: ['status'], commands: ['whoami', 'doctor']},
])

/** Verbs of other tools that follow a group (`webhooks rm`), with our verbs for the same purpose. */
const VERBS = byWord([
  {words: ['advance', 'time'], commands: ['clock']},
  {words: ['add', 'new', 'register'], commands: ['create', 'set']},
  {
    words: ['del', 'delete', 'destroy', 'remove', 'rm'],
    commands: ['delete', 'remove', 'unset', 'cancel', 'reset'],
  },
  {words: ['attempts', 'log', 'logs'], commands: ['deliveries', 'list']},
  {words: ['fetch', 'pdf', 'save'], commands: ['download', 'export']},
  {words: ['cat', 'read', 'show'], commands: ['get', 'list', 'download']},
  {words: ['all', 'find', 'list', 'ls', 'query', 'search'], commands: ['list', 'search', 'cities']},
  {words: ['forward', 'serve', 'tail', 'watch'], commands: ['listen', 'start']},
  {words: ['redeliver', 'resend', 'retry'], commands: ['replay', 'deliveries']},
  {
    words: ['describe', 'get', 'info', 'retrieve', 'status', 'view'],
    commands: ['show', 'get', 'list', 'download', 'cities'],
  },
  {words: ['run', 'up'], commands: ['start']},
  {words: ['browse', 'open'], commands: ['start', 'show', 'download', 'list']},
  {words: ['ping', 'send', 'trigger'], commands: ['trigger', 'test']},
  {words: ['change', 'disable', 'edit', 'enable', 'modify', 'patch', 'set'], commands: ['update', 'set']},
  {words: ['activate', 'select', 'switch'], commands: ['use']},
])

function byWord(rows: readonly {readonly words: readonly string[]; readonly commands: readonly string[]}[]) {
  return new Map(rows.flatMap(({words, commands}) => words.map(word => [word, commands])))
}

/** Reports whether `word` only repeats what the command `name` does anyway: `account balance`, `journal list`. */
function isRestated(name: string, word: string): boolean {
  const verbs = VERBS.get(word) ?? []
  return ALIASES.get(word)?.includes(name) || ['show', 'list', 'start'].some(verb => verbs.includes(verb))
}

/** Returns the commands of `ids` for words that belong to another tool (ALIASES, VERBS). */
function namedElsewhere(words: readonly string[], ids: readonly string[]): string[] {
  const isName = (name: string) => ids.some(id => `${id}:`.startsWith(`${name.replaceAll(' ', ':')}:`))
  for (let count = 3; count > 0; count--) {
    const found = ALIASES.get(words.slice(0, count).join(' ').toLowerCase())?.filter(isName) ?? []
    if (found.length > 0) return found
  }
  const {name, left} = findName(words, ids)
  const word = (left[0] ?? '').toLowerCase()
  const verbs = name.length > 0 ? (VERBS.get(word) ?? []) : []
  const within = verbs.map(verb => [...name, verb].join(' ')).filter(isName)
  // Another group may have the command that this group lacks: `sandbox balance` means `account`.
  return within.length > 0 ? within.slice(0, 1) : (ALIASES.get(word)?.filter(isName) ?? [])
}

/**
 * Returns the name of the command or group that was most likely meant, or undefined. `following` are the words after
 * `words`, which may belong to the name. Longer names are tried first.
 */
function closestName(words: readonly string[], following: readonly string[], ids: readonly string[]) {
  // For the id `webhooks:events:list`, these are `webhooks`, `webhooks events` and `webhooks events list`.
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

/** Returns the error for a flag where a command was expected. */
export function flagWithoutCommand(typed: string): Failure {
  const unknown = unknownFlag(typed, Object.keys(globalFlags))
  if (unknown.details.hint !== SEE_HELP) return unknown
  const hint = 'list commands: bookctl --help; flags of a command come after its name'
  return usage('no_command', `missing command before ${(typed.split('=', 1)[0] ?? '').slice(0, 40)}`, hint)
}

export const HELP_TOPICS = {
  commands: 'every command, and what it does',
  flags: 'the flags that every command takes',
  environment: 'environment variables and precedence',
  'exit-codes': 'exit codes, for scripts',
  output: 'tables, pipes, JSON, columns, queries',
  scopes: 'what each scope allows, and which a command needs',
  sandbox: 'starting, clock, payments, fault injection',
  webhooks: 'receiving events, and why a signature fails',
} as const

export function isHelpTopic(name: string): name is keyof typeof HELP_TOPICS {
  return Object.hasOwn(HELP_TOPICS, name)
}
