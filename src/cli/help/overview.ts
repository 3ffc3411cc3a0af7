/** The first screen, and the help of a group of commands. */

import {globalFlagRows} from './command.js'
import {section, twoColumns, wrap} from './layout.js'
import {TOPICS} from './topics/topics.js'

export type Entry = readonly [name: string, summary: string]

/** What a newcomer types first. */
const START: readonly Entry[] = [
  ['bookctl demo', 'see a whole booking, on a sandbox of its own'],
  ['bookctl sandbox start', 'start the whole service on this machine, and leave it running'],
  ['eval "$(bookctl sandbox env)"', 'in another terminal: point commands at it'],
  ['bookctl reserve', 'book something'],
  ['bookctl login', 'or work with the credentials you were given'],
]

/** Where a command or group stands on the first screen, by its first word; what is not named here stands last. */
const GROUPS: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['BOOKING', ['hotels', 'tours', 'reserve', 'reservations', 'voucher', 'account', 'journal', 'content']],
  ['WEBHOOKS', ['webhooks']],
  ['SANDBOX', ['demo', 'sandbox']],
  ['ACCESS AND SETTINGS', ['login', 'logout', 'whoami', 'token', 'profiles', 'config', 'autocomplete']],
]

/** The text of `bookctl --help`; `entries` are the first words of the commands. */
export function overview(entries: readonly Entry[], width: number): string {
  const placed = new Set(GROUPS.flatMap(([, names]) => names))
  const groups = GROUPS.map(([heading, names]) => {
    const rows = names.flatMap(name => entries.filter(([first]) => first === name))
    return [heading, rows] as const
  })
  const rest = entries.filter(([first]) => !placed.has(first))
  const topics = Object.entries(TOPICS).map(([name, {summary}]) => [name, summary] as const)
  return [
    wrap(
      'Work with the Partner Booking Service: search hotels, reserve, pay, download vouchers, receive and check webhooks. A local sandbox of the whole service is built in.',
      width,
    ),
    ...section('USAGE', '  bookctl COMMAND [flags]'),
    ...section('START HERE', twoColumns(START, width)),
    ...groups.flatMap(([heading, rows]) => section(heading, twoColumns(rows, width))),
    ...section('MORE', twoColumns(rest, width)),
    ...section('HELP TOPICS (bookctl help TOPIC)', twoColumns(topics, width)),
    ...section('GLOBAL FLAGS', twoColumns([...globalFlagRows(), HELP_FLAG], width)),
    ...section('SEE ALSO', twoColumns(SEE_ALSO, width)),
  ].join('\n\n')
}

const HELP_FLAG: Entry = ['-h, --help', 'explain the command, or the group']

const SEE_ALSO: readonly Entry[] = [
  ['bookctl COMMAND --help', 'flags and examples of a command'],
  ['bookctl version --verbose', 'what is in effect here, for a report'],
]

/** The text of `bookctl help GROUP`: what it is about, its commands, and the topic of the same name. */
export function groupHelp(
  name: string,
  description: string,
  commands: readonly Entry[],
  topic: string,
  width: number,
): string {
  return [
    ...(description === '' ? [] : [wrap(description, width)]),
    ...section('USAGE', `  bookctl ${name} COMMAND [flags]`),
    ...section('COMMANDS', twoColumns(commands, width)),
    ...(topic === '' ? [] : [topic]),
    wrap(`\`bookctl ${name} COMMAND --help\` has the flags and examples of a command.`, width),
  ].join('\n\n')
}
