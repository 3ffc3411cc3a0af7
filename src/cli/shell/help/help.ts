/**
 * Prints help: the first screen, a group of commands, one command, a topic, or a group together with the topic of the
 * same name.
 */
import process from 'node:process'
import type {Command} from '@oclif/core/command'
import {CommandHelp, Help, type HelpFormatter, type HelpSectionRenderer} from '@oclif/core/help'
import type * as Interfaces from '@oclif/core/interfaces'
import {jsonText} from '../../terminal/json-text.js'
import {terminalOf} from '../../terminal/output.js'
import {pasteable} from '../../terminal/text.js'
import {beforeDashes, splitArgv, wantsJson} from '../argv.js'
import {findName, flagWithoutCommand, HELP_TOPICS, isHelpTopic, unknownCommand} from '../command-names.js'
import {globalFlags, NAMED_FLAGS} from '../global-flags.js'
import {wholeConfig} from '../program.js'
import {running} from '../running.js'
import type {Row} from './topics.js'

type Flag = Command.Flag.Any

/** The help of one command: usage, flags, examples and further reading. */
class CommandText extends CommandHelp {
  /** Returns the help text without the command's summary. Empty sections are left out. */
  override generate(): string {
    return [prose(this, this.command.description ?? ''), super.generate()].filter(Boolean).join('\n\n')
  }

  protected override sections(): {header: string; generate: HelpSectionRenderer}[] {
    const own = (flags: Flag[]) => flags.filter(({name}) => !Object.hasOwn(globalFlags, name)).sort(byName)
    const examples = (this.command.examples ?? []) as string[]
    const width = this.opts.maxWidth
    const rows = (flags: Flag[]) => (flags.length === 0 ? undefined : flags.map(flagRow))
    const {environment: names} = this.command as {environment?: readonly string[]}
    const variables = names?.join(', ') ?? OF_THE_SERVICE
    const environment = `${variables}; \`bookctl help environment\` explains these and the others.`
    const [first = '', ...more] = this.command.id.split(/[: ]/)
    const group: Row[] = more.length > 0 ? [[`bookctl help ${first}`, `all of ${first}`]] : []
    const seeAlso: Row[] = [
      ...group,
      ['bookctl help output', 'JSON, columns, queries, pipes'],
      ['bookctl help exit-codes', 'exit codes, for scripts'],
    ]
    return [
      {header: 'USAGE', generate: ({flags}) => this.wrap(usageOf(this.command, own(flags)))},
      {
        header: 'ARGUMENTS',
        generate: ({args}, header) => [{header, body: this.args(args.map(withListedChoices))}],
      },
      {header: 'FLAGS', generate: ({flags}, header) => [{header, body: rows(own(flags))}]},
      {header: 'EXAMPLES', generate: () => examples.map(line => `$ ${pasteable(line, width)}`).join('\n\n')},
      {header: 'ENVIRONMENT', generate: () => prose(this, environment, 2)},
      {header: 'GLOBAL FLAGS', generate: () => this.wrap(GLOBAL_NAMES)},
      {header: 'SEE ALSO', generate: (_, header) => [{header, body: seeAlso}]},
    ]
  }
}

export default class BookctlHelp extends Help {
  protected override CommandHelpClass = CommandText

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    const {columns} = terminalOf(process.stdout)
    // Lines over 100 columns are hard to read. On narrow terminals, oclif's lines are up to two columns too wide, so
    // two are subtracted.
    const maxWidth = Math.max(38, columns < 60 ? columns - 2 : Math.min(columns, 100))
    super(config, {maxWidth, stripAnsi: true, ...options})
  }

  /** Prints the help of the command, group or topic that `argv` names. Throws a usage error if there is none. */
  override async showHelp(argv: string[]): Promise<void> {
    const own = beforeDashes(argv)
    const asked = own.filter(word => word !== '--help' && word !== '-h')
    const {words} = splitArgv(asked[0] === 'help' ? asked.slice(1) : asked)
    this.config = await wholeConfig(this.config)
    const ids = this.sortedCommands.map(({id}) => id)
    const isTopic = words.length === 1 && isHelpTopic(words[0] ?? '')
    const {name, left} = findName(words, ids)
    const command = this.sortedCommands.find(({id}) => id === name.join(':'))
    // A group accepts only the global flags.
    const [flag] = splitArgv(running.argv).rest
    if (flag !== undefined && asked.length === own.length) throw flagWithoutCommand(flag)
    // With --json, a group without a command prints JSON. Help that the user asked for is always text.
    if (asked.length === own.length && wantsJson(running.argv)) {
      const commands = this.below(name).map(([command, summary]) => ({command, summary}))
      return this.log(jsonText({commands}, 2))
    }
    // Hidden commands, such as `help`, have no help of their own, so the first screen is shown.
    if (words[0] === undefined || this.config.findCommand(words[0])?.hidden) return this.showRootHelp()
    if (left.length > 0 && !command && !isTopic) throw unknownCommand(words, ids, Object.keys(HELP_TOPICS))
    if (command) return this.showCommandHelp(command)
    this.log(await this.groupText(isTopic ? words : name))
  }

  override async showCommandHelp(command: Command.Loadable): Promise<void> {
    const below = this.below(command.id.split(':'))
    const more = below.length === 0 ? '' : `\n\n${this.section('COMMANDS', below)}`
    this.log(`${prose(this, this.summary(command) ?? '')}\n\n${this.formatCommand({...command})}${more}`)
  }

  protected override log(...lines: string[]): void {
    // In a pipe, help has no colour, even if a variable forces colour.
    const {isTTY, paint} = terminalOf(process.stdout)
    const text = lines.join('\n')
    process.stdout.write(`${isTTY ? text.replace(HEADING, heading => paint('header', heading)) : text}\n`)
  }

  /** Returns the commands of a group, or all commands if `name` is empty. */
  private below(name: readonly string[]): Row[] {
    const prefix = name.map(word => `${word}:`).join('')
    return this.sortedCommands.filter(({id}) => id.startsWith(prefix)).map(entryOf)
  }

  /** Returns the help of a group or of a topic, or of both if they have the same name. */
  private async groupText(words: readonly string[]): Promise<string> {
    const name = words.join(' ').replaceAll(':', ' ')
    const topic = isHelpTopic(name) ? await this.topicText(name) : ''
    const commands = this.below(words)
    if (commands.length === 0) return topic
    const parts = [
      prose(this, this.config.findTopic(words.join(':'))?.description ?? ''),
      this.section('USAGE', `bookctl ${name} COMMAND [flags]`),
      `COMMANDS\n${list(this, commands)}`,
      topic,
      prose(this, `\`bookctl ${name} COMMAND --help\` has the flags and examples of a command.`),
    ]
    return parts.filter(Boolean).join('\n\n')
  }

  private async topicText(name: keyof typeof HELP_TOPICS): Promise<string> {
    if (name === 'commands') return this.commandsText()
    if (name === 'flags') {
      const rows: Row[] = [...GLOBALS.map(flagRow), ['-h, --help', 'explain the command, or the group']]
      return `${prose(this, ABOUT_FLAGS)}\n\n${list(this, rows)}`
    }
    const parts =
      name === 'scopes'
        ? (await import('./scopes.js')).scopesTopic(this.sortedCommands)
        : (await import('./topics.js')).TOPICS[name]
    const texts = parts.map(part => {
      if (typeof part === 'string') return prose(this, part)
      const {heading, rows} = part
      return (heading ? `${prose(this, `${heading}:`)}\n` : '') + list(this, rows)
    })
    return texts.join('\n\n')
  }

  override async showRootHelp(): Promise<void> {
    const groups = this.groups().map(([heading, names]): Row => [heading, names.join(', ')])
    const help: Row[] = [
      ['bookctl COMMAND --help', 'what it does, its flags and examples'],
      ['bookctl help TOPIC', Object.keys(HELP_TOPICS).join(', ')],
    ]
    const sections = Object.entries({'START HERE': START, COMMANDS: groups, HELP: help})
    const texts = sections.map(([heading, rows]) => `${heading}\n${list(this, rows)}`)
    this.log([prose(this, WHAT_IT_IS), ...texts].join('\n\n'))
  }

  /** Returns all commands under the headings of the first screen. */
  private commandsText(): string {
    const texts = this.groups().map(([heading, names]) => {
      const entries = names.flatMap(name => [
        ...this.sortedCommands.filter(({id}) => id === name).map(entryOf),
        ...this.below([name]),
      ])
      return `${heading.toUpperCase()}\n${list(this, entries)}`
    })
    return texts.join('\n\n')
  }

  /** Returns the headings, each with the first words of its commands. Words without a heading are under `More`. */
  private groups(): [heading: string, names: string[]][] {
    const words = [...new Set(this.sortedCommands.map(({id}) => id.split(':')[0] ?? ''))]
    const named = Object.values(GROUPS).flat()
    const rest = words.filter(word => !named.includes(word))
    return [...Object.entries(GROUPS), ['More', rest]]
  }
}

function entryOf({id, summary}: Command.Loadable): Row {
  return [id.replaceAll(':', ' '), summary ?? '']
}

const WHAT_IT_IS = `
Work with the Partner Booking Service: search hotels, reserve, pay, download vouchers, receive and verify webhooks. A local
sandbox of the whole service is built in.`

const ABOUT_FLAGS = `
Every command takes these flags, before or after its name. A variable in brackets sets the same; the flag overrides it.`

const START: Row[] = [
  ['bookctl demo', 'see a whole booking on a temporary sandbox'],
  ['bookctl sandbox start', 'run the whole service on this machine'],
  ['eval "$(bookctl sandbox env)"', 'in another terminal: point commands at it'],
  ['bookctl reserve', 'book something, step by step'],
  ['bookctl login', 'or use your own credentials'],
]

const GROUPS: Readonly<Record<string, string[]>> = {
  Booking: ['hotels', 'tours', 'reserve', 'reservations', 'voucher', 'account', 'journal', 'content'],
  Webhooks: ['webhooks'],
  Sandbox: ['demo', 'sandbox'],
  Access: ['login', 'logout', 'whoami', 'token', 'profiles', 'config'],
}

/** Matches the headings in printed help. */
const HEADING = /^[A-Z]{3}[A-Z ]*$/gm

const GLOBALS = NAMED_FLAGS.toSorted(byName)

const GLOBAL_NAMES = `${[...GLOBALS.map(labelOf), '-h, --help'].join('  ')}\n(explained in \`bookctl help flags\`)`

function byName(left: Flag, right: Flag): number {
  return left.name < right.name ? -1 : 1
}

const OF_THE_SERVICE =
  'BOOKCTL_PROFILE, BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET, BOOKCTL_TOKEN, BOOKCTL_SCOPES, BOOKCTL_STORE, BOOKCTL_CONFIG_DIR'

function usageOf({id, args, strict}: Command.Loadable, flags: readonly Flag[]): string {
  const words = Object.values(args).map(arg => {
    const name = `${arg.name.toUpperCase()}${strict === false || arg.multiple ? '…' : ''}`
    return arg.required ? name : `[${name}]`
  })
  const required = flags.filter(flag => flag.required)
  const typed = required.map(flag => `--${flag.name} ${valueName(flag)}${optionOf(flag).multiple ? '…' : ''}`)
  return ['bookctl', ...id.split(/[: ]/), ...words, ...typed, '[flags]'].join(' ')
}

/**
 * Maximum length in characters of a list of choices that is shown as a flag's value. A longer list is shown in the
 * summary.
 */
const MOST_CHOICE_LENGTH = 20

/**
 * Adds the choices of an argument to its description, because oclif prints them as one long word that is broken
 * anywhere.
 */
function withListedChoices(arg: Command.Arg.Any): Command.Arg.Any {
  const {options = [], ...others} = arg
  if (options.join('|').length <= MOST_CHOICE_LENGTH) return arg
  return {...others, description: `${arg.description} (one of: ${options.join(', ')})`}
}

function flagRow(flag: Flag): Row {
  const {summary = '', env} = flag
  const {options = [], multiple, default: usual} = optionOf(flag)
  const isShort = ['string', 'number'].includes(typeof usual)
  const more = [
    options.join('|').length > MOST_CHOICE_LENGTH ? `one of: ${options.join(', ')}` : '',
    multiple && !/repeat/.test(summary) ? 'repeatable' : '',
    isShort && !summary.includes(String(usual)) ? `default ${usual}` : '',
    env ? `or ${env}` : '',
  ].filter(Boolean)
  const value = flag.type === 'boolean' ? '' : ` ${valueName(flag)}`
  return [labelOf(flag) + value, more.length === 0 ? summary : `${summary} (${more.join('; ')})`]
}

function labelOf({name, char}: Flag): string {
  return `${char ? `-${char}, ` : ''}--${name}`
}

function optionOf(flag: Flag): Partial<Extract<Flag, {type: 'option'}>> {
  return flag.type === 'option' ? flag : {}
}

function valueName(flag: Flag): string {
  const {options = [], helpValue} = optionOf(flag)
  const choice = options.join('|')
  if (choice !== '' && choice.length <= MOST_CHOICE_LENGTH) return choice
  return String(helpValue ?? (choice === '' ? 'VALUE' : flag.name.toUpperCase()))
}

/**
 * Wraps the paragraphs of `text`, which are separated by empty lines. Paragraphs that begin with two spaces are not
 * wrapped.
 */
function prose(help: HelpFormatter, text: string, indent = 0): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(part => (part.startsWith('  ') ? part : help.wrap(part.replace(/\s+/g, ' '), indent)))
    .join('\n\n')
}

function list(help: HelpFormatter, rows: Row[]): string {
  return help.indent(help.renderList(rows, {indentation: 2, spacer: '\n', stripAnsi: true}))
}
