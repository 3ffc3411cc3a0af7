/** The help of one command: what it does, usage with what it needs, its flags, examples that run, where to read on. */
import type {CommandFacts, FlagFacts} from '../usage/command-facts.js'
import {globalFlags} from '../usage/global-flags.js'
import {paragraphs, pasteable, section, twoColumns, wrap} from './layout.js'

/** The text of `bookctl COMMAND --help`, without a last newline; `below` are the commands under the same name. */
export function commandHelp(
  command: CommandFacts,
  below: readonly (readonly [string, string])[],
  width: number,
): string {
  const [description, environment] = splitDescription(command.description ?? '')
  const own = ownFlags(command)
  return [
    command.summary ?? '',
    ...(description === '' ? [] : [paragraphs(description, width)]),
    ...section('USAGE', wrap(usageOf(command), width, 2)),
    ...section('ARGUMENTS', twoColumns(argumentRows(command), width)),
    ...section('FLAGS', twoColumns(own.map(flagRow), width)),
    ...section('COMMANDS', twoColumns(below, width)),
    ...section('EXAMPLES', (command.examples ?? []).map(one => pasteable(one, width)).join('\n\n')),
    ...section('ENVIRONMENT', wrap(environment, width, 2)),
    ...section('GLOBAL FLAGS', globalNames(width)),
    ...section('SEE ALSO', twoColumns(seeAlso(command.id), width)),
  ].join('\n\n')
}

/** The flags of every command, explained. */
export function globalFlagRows(): [string, string][] {
  return Object.entries(globalFlags)
    .map(([name, flag]) => ({...flag, name}) as FlagFacts)
    .sort(byName)
    .map(flagRow)
}

function globalNames(width: number): string {
  const names = Object.entries(globalFlags)
    .map(([name, flag]) => ({...flag, name}) as FlagFacts)
    .sort(byName)
    .map(flag => `${flag.char ? `-${flag.char}, ` : ''}--${flag.name}`)
  const more = wrap('(explained in `bookctl --help`)', width, 2)
  return `${wrap([...names, '-h, --help'].join('  '), width, 2)}\n${more}`
}

function byName(left: FlagFacts, right: FlagFacts): number {
  return left.name < right.name ? -1 : 1
}

function ownFlags(command: CommandFacts): FlagFacts[] {
  return Object.values(command.flags)
    .filter(flag => !flag.hidden)
    .sort(byName)
}

/** The description, and what follows `Environment:` in it. */
function splitDescription(text: string): [description: string, environment: string] {
  const [, description = '', environment = ''] =
    /^([\s\S]*?)(?:\s*Environment:\s*([\s\S]*))?$/.exec(text) ?? []
  const more =
    environment === ''
      ? ''
      : `${environment.trim().replace(/\.$/, '')}; \`bookctl help environment\` explains them.`
  return [description.trim(), more]
}

function usageOf(command: CommandFacts): string {
  const words = [
    'bookctl',
    ...command.id.split(':'),
    ...Object.values(command.args).map(arg => {
      const name = `${arg.name.toUpperCase()}${command.strict === false ? '…' : ''}`
      return arg.required ? name : `[${name}]`
    }),
    ...ownFlags(command)
      .filter(flag => flag.required)
      .map(flag => `--${flag.name} ${valueName(flag)}${flag.multiple ? '…' : ''}`),
    '[flags]',
  ]
  return words.join(' ')
}

function argumentRows(command: CommandFacts): [string, string][] {
  return Object.values(command.args).map(arg => [
    arg.name.toUpperCase(),
    [arg.description ?? '', arg.options ? `one of: ${arg.options.join(', ')}` : '']
      .filter(Boolean)
      .join('; '),
  ])
}

/** Ours: more values than fit here are told beside the flag. */
const SHORT_CHOICE = 20

function flagRow(flag: FlagFacts): [string, string] {
  const value = flag.type === 'boolean' ? '' : ` ${valueName(flag)}`
  const summary = flag.summary ?? flag.description ?? ''
  const more = [
    isLongChoice(flag) ? `one of: ${flag.options?.join(', ')}` : '',
    flag.multiple && !summary.includes('repeated') ? 'may be repeated' : '',
    defaultOf(flag, summary),
    flag.env ? `or ${flag.env}` : '',
  ].filter(Boolean)
  const left = `${flag.char ? `-${flag.char}, ` : ''}--${flag.name}${value}`
  return [left, more.length === 0 ? summary : `${summary} (${more.join('; ')})`]
}

function defaultOf(flag: FlagFacts, summary: string): string {
  const told = ['string', 'number'].includes(typeof flag.default) && flag.type !== 'boolean'
  return told && !summary.includes(String(flag.default)) ? `${flag.default} unless told` : ''
}

function isLongChoice({options}: FlagFacts): boolean {
  return options !== undefined && options.join('|').length > SHORT_CHOICE
}

function valueName(flag: FlagFacts): string {
  if (flag.options && !isLongChoice(flag)) return flag.options.join('|')
  const told = Array.isArray(flag.helpValue) ? flag.helpValue.join(' ') : flag.helpValue
  return told ?? (flag.options ? flag.name.toUpperCase() : 'VALUE')
}

/** Where to read on: the group, the topic of the same name, and what every script needs. */
function seeAlso(id: string): [string, string][] {
  const [first = '', ...more] = id.split(':')
  const group: [string, string][] = more.length > 0 ? [[`bookctl help ${first}`, `all of ${first}`]] : []
  return [
    ...group,
    ['bookctl help output', 'JSON, columns, queries, pipes'],
    ['bookctl help exit-codes', 'how it ends, for scripts'],
  ]
}
