/** What `--help` and `help` print: the first screen, a group of commands, a command, a topic, or a group and its topic. */
import process from 'node:process'
import {terminalOf} from '../output/output.js'
import type {CommandFacts} from '../usage/command-facts.js'
import {GROUPS} from './groups.js'
import type {Entry} from './overview.js'
import {TOPICS} from './topics/topics.js'

/** The help of `subject`, the words after `bookctl help`, which name something that exists. */
export async function helpText(
  commands: readonly CommandFacts[],
  subject: readonly string[],
): Promise<string> {
  const [{helpWidth}, {commandHelp}, {groupHelp, overview}] = await Promise.all([
    import('./layout.js'),
    import('./command.js'),
    import('./overview.js'),
  ])
  const width = helpWidth(terminalOf(process.stdout).columns)
  if (subject.length === 0) return `${overview(firstWords(commands), width)}\n`
  const name = subject.join(' ')
  const below = commands.filter(({id}) => id.startsWith(`${subject.join(':')}:`)).map(entryOf)
  const command = commands.find(({id}) => id === subject.join(':'))
  if (command) return `${commandHelp(command, below.sort(byName), width)}\n`
  const topic = Object.hasOwn(TOPICS, name) ? ((await TOPICS[name]?.text(width)) ?? '') : ''
  if (below.length === 0) return `${topic}\n`
  return `${groupHelp(name, GROUPS[name] ?? '', below.sort(byName), topic, width)}\n`
}

/** The commands of a group, or all of them for no words, as a document has them. */
export function commandsBelow(
  commands: readonly CommandFacts[],
  subject: readonly string[],
): {command: string; summary: string}[] {
  const prefix = subject.map(word => `${word}:`).join('')
  return commands
    .filter(({id}) => id.startsWith(prefix))
    .map(entryOf)
    .sort(byName)
    .map(([command, summary]) => ({command, summary}))
}

function entryOf(command: CommandFacts): Entry {
  return [command.id.replaceAll(':', ' '), command.summary ?? '']
}

function byName([left]: Entry, [right]: Entry): number {
  return left < right ? -1 : 1
}

/** Commands and groups by their first word. A command that is a group as well stands once, as the command. */
function firstWords(commands: readonly CommandFacts[]): Entry[] {
  const words = [...new Set(commands.map(({id}) => id.split(':')[0] ?? ''))].sort()
  return words.map(word => {
    const command = commands.find(({id}) => id === word)
    return command ? entryOf(command) : [word, GROUPS[word] ?? '']
  })
}
