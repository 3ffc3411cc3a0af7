/** What `--help` and `help` print: the first screen, a group of commands, a command, a topic, or a group and its topic. */
import process from 'node:process'
import type {Command} from '@oclif/core/command'
import {Help} from '@oclif/core/help'
import type * as Interfaces from '@oclif/core/interfaces'
import {jsonText} from '../../terminal/json-text.js'
import {terminalOf} from '../../terminal/output.js'
import {beforeDashes, splitArgv, wantsJson} from '../argv.js'
import {findName, flagWithoutCommand, HELP_TOPICS, isHelpTopic, unknownCommand} from '../names.js'
import {wholeConfig} from '../program.js'
import {running} from '../running.js'
import {CommandText, helpWidth, list, prose} from './command.js'

type Entry = readonly [name: string, summary: string]

export default class BookctlHelp extends Help {
  protected override CommandHelpClass = CommandText

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    super(config, {maxWidth: helpWidth(terminalOf(process.stdout).columns), stripAnsi: true, ...options})
  }

  /** Shows the help of the command, group or topic that `argv` names. Throws usage when there is none of that name. */
  override async showHelp(argv: string[]): Promise<void> {
    const own = beforeDashes(argv)
    const asked = own.filter(word => word !== '--help' && word !== '-h')
    const {words} = splitArgv(asked[0] === 'help' ? asked.slice(1) : asked)
    this.config = await wholeConfig(this.config)
    const ids = this.sortedCommands.map(({id}) => id)
    const isTopic = words.length === 1 && isHelpTopic(words[0] ?? '')
    const {name, left} = findName(words, ids)
    const command = this.sortedCommands.find(({id}) => id === name.join(':'))
    // A group takes only the global flags.
    const [flag] = splitArgv(running.argv).rest
    if (flag !== undefined && asked.length === own.length) throw flagWithoutCommand(flag)
    // A group alone with --json; help that was asked for is text.
    if (asked.length === own.length && wantsJson(running.argv)) return this.logList(name)
    // Hidden commands, such as `help` itself, are explained by the first screen.
    if (words[0] === undefined || this.config.findCommand(words[0])?.hidden) return this.showRootHelp()
    if (left.length > 0 && !command && !isTopic) throw unknownCommand(words, ids, Object.keys(HELP_TOPICS))
    if (command) return this.showCommandHelp(command)
    this.log(await this.groupText(isTopic ? words : name))
  }

  override async showCommandHelp(command: Command.Loadable): Promise<void> {
    const below = this.below(command.id.split(':'))
    const more = below.length === 0 ? '' : `\n\n${this.section('COMMANDS', [...below] as [string, string][])}`
    this.log(`${prose(this, this.summary(command) ?? '')}\n\n${this.formatCommand({...command})}${more}`)
  }

  protected override log(...lines: string[]): void {
    // Help in a pipe is plain, whatever forces colour.
    const {isTTY, paint} = terminalOf(process.stdout)
    const text = lines.join('\n')
    process.stdout.write(`${isTTY ? text.replace(HEADING, heading => paint('header', heading)) : text}\n`)
  }

  private logList(name: readonly string[]): void {
    const commands = this.below(name).map(([command, summary]) => ({command, summary}))
    this.log(jsonText({commands}, 2))
  }

  /** The commands of a group, or all of them for no words. */
  private below(name: readonly string[]): Entry[] {
    const prefix = name.map(word => `${word}:`).join('')
    return this.sortedCommands.filter(({id}) => id.startsWith(prefix)).map(entryOf)
  }

  /** A group, a topic, or a group with the topic of the same name. */
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
    return name === 'commands' ? this.commandsText() : (await import('./topics.js')).topicText(name, this)
  }

  override async showRootHelp(): Promise<void> {
    const groups = this.groups().map(([heading, names]) => [heading, names.join(', ')] as const)
    const sections: (readonly [string, readonly Entry[]])[] = [
      ['START HERE', START],
      ['COMMANDS', groups],
      ['HELP', [COMMAND_HELP, ['bookctl help TOPIC', Object.keys(HELP_TOPICS).join(', ')]]],
    ]
    const texts = sections.map(([heading, rows]) => `${heading}\n${list(this, rows)}`)
    this.log([prose(this, WHAT_IT_IS), ...texts].join('\n\n'))
  }

  /** Every command, by the groups of the first screen. */
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

  /** The headings with the first words of all commands: those that no heading names are under the last. */
  private groups(): [heading: string, names: string[]][] {
    const words = [...new Set(this.sortedCommands.map(({id}) => id.split(':')[0] ?? ''))]
    const named = Object.values(GROUPS).flat()
    const rest = words.filter(word => !named.includes(word))
    return [...Object.entries(GROUPS), ['More', rest]]
  }
}

function entryOf({id, summary}: Command.Loadable): Entry {
  return [id.replaceAll(':', ' '), summary ?? '']
}

const WHAT_IT_IS = `
Work with the Partner Booking Service: search hotels, reserve, pay, download vouchers, receive and verify webhooks. A local
sandbox of the whole service is built in.`

const START: readonly Entry[] = [
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

const COMMAND_HELP: Entry = ['bookctl COMMAND --help', 'what it does, its flags and examples']

/** A line that is a heading in what help prints. */
const HEADING = /^[A-Z]{3}[A-Z ]*$/gm
