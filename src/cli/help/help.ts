/** What `--help` and `help` print: the first screen, a group of commands, a command, a topic, or a group and its topic. */
import process from 'node:process'
import type {Command} from '@oclif/core/command'
import type {Config} from '@oclif/core/config'
import {terminalOf} from '../output/output.js'
import type {Entry} from './overview.js'
import {TOPICS} from './topics/topics.js'

/** The help of `subject`, the words after `bookctl help`, which name something that exists. */
export async function helpText(config: Config, subject: readonly string[]): Promise<string> {
  const [{helpWidth}, {commandHelp}, {groupHelp, overview}] = await Promise.all([
    import('./layout.js'),
    import('./command.js'),
    import('./overview.js'),
  ])
  const width = helpWidth(terminalOf(process.stdout).columns)
  const commands = config.commands.filter(({hidden}) => !hidden)
  if (subject.length === 0) return `${overview(firstWords(config, commands), width)}\n`
  const name = subject.join(' ')
  const below = commands.filter(({id}) => id.startsWith(`${subject.join(':')}:`)).map(entryOf)
  const command = commands.find(({id}) => id === subject.join(':'))
  if (command) return `${commandHelp(command, below.sort(byName), width)}\n`
  const topic = Object.hasOwn(TOPICS, name) ? ((await TOPICS[name]?.text(width)) ?? '') : ''
  if (below.length === 0) return `${topic}\n`
  return `${groupHelp(name, describeGroup(config, name), below.sort(byName), topic, width)}\n`
}

/** The commands of a group, or all of them for no words, as a document has them. */
export function commandsBelow(
  config: Config,
  subject: readonly string[],
): {command: string; summary: string}[] {
  const prefix = subject.map(word => `${word}:`).join('')
  return config.commands
    .filter(({id, hidden}) => !hidden && id.startsWith(prefix))
    .map(entryOf)
    .sort(byName)
    .map(([command, summary]) => ({command, summary}))
}

function entryOf(command: Command.Loadable): Entry {
  return [command.id.replaceAll(':', ' '), command.summary ?? '']
}

function byName([left]: Entry, [right]: Entry): number {
  return left < right ? -1 : 1
}

function describeGroup(config: Config, name: string): string {
  return config.topics.find(topic => topic.name.replaceAll(':', ' ') === name)?.description ?? ''
}

/** Commands and groups by their first word. A command that is a group as well stands once, as the command. */
function firstWords(config: Config, commands: readonly Command.Loadable[]): Entry[] {
  const words = [...new Set(commands.map(({id}) => id.split(':')[0] ?? ''))].sort()
  return words.map(word => {
    const command = commands.find(({id}) => id === word)
    return command ? entryOf(command) : [word, describeGroup(config, word)]
  })
}
