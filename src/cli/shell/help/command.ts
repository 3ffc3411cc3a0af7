/** The help of one command: what it does, usage with what it needs, its flags, examples that run, where to read on. */
import type {Command} from '@oclif/core/command'
import {CommandHelp, type HelpFormatter, type HelpSectionRenderer} from '@oclif/core/help'
import {globalFlags} from '../global-flags.js'

type Flag = Command.Flag.Any
type Row = [string, string]

export class CommandText extends CommandHelp {
  /** The text without the summary. Sections that a command has nothing for are left out. */
  override generate(): string {
    const [description] = splitDescription(this.command.description ?? '')
    return [prose(this, description), super.generate()].filter(Boolean).join('\n\n')
  }

  protected override sections(): {header: string; generate: HelpSectionRenderer}[] {
    const [, environment] = splitDescription(this.command.description ?? '')
    const own = (flags: Flag[]) => flags.filter(({name}) => !Object.hasOwn(globalFlags, name)).sort(byName)
    const examples = (this.command.examples ?? []) as string[]
    const width = this.opts.maxWidth
    return [
      {header: 'USAGE', generate: ({flags}) => this.wrap(usageOf(this.command, own(flags)))},
      {header: 'ARGUMENTS', generate: ({args}, header) => [{header, body: this.args(args)}]},
      {header: 'FLAGS', generate: ({flags}, header) => [{header, body: filled(own(flags).map(flagRow))}]},
      {header: 'EXAMPLES', generate: () => examples.map(one => pasteable(one, width)).join('\n\n')},
      {header: 'ENVIRONMENT', generate: () => prose(this, environment, 2)},
      {header: 'GLOBAL FLAGS', generate: () => this.wrap(GLOBAL_NAMES)},
      {header: 'SEE ALSO', generate: (_, header) => [{header, body: seeAlso(this.command.id)}]},
    ]
  }
}

/** Undefined when there are none, which leaves out the section. */
function filled(rows: Row[]): Row[] | undefined {
  return rows.length === 0 ? undefined : rows
}

/** The flags of every command, explained. */
export function globalFlagRows(): Row[] {
  return globals().map(flagRow)
}

function globals(): Flag[] {
  return Object.entries(globalFlags)
    .map(([name, flag]) => ({...flag, name}) as unknown as Flag)
    .sort(byName)
}

const GLOBAL_NAMES = `${[...globals().map(labelOf), '-h, --help'].join('  ')}\n(explained in \`bookctl --help\`)`

function byName(left: Flag, right: Flag): number {
  return left.name < right.name ? -1 : 1
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

function usageOf({id, args, strict}: Command.Loadable, flags: readonly Flag[]): string {
  const words = [
    'bookctl',
    ...id.split(/[: ]/),
    ...Object.values(args).map(arg => {
      const name = `${arg.name.toUpperCase()}${strict === false ? '…' : ''}`
      return arg.required ? name : `[${name}]`
    }),
    ...flags
      .filter(flag => flag.required)
      .map(flag => `--${flag.name} ${valueName(flag)}${isRepeatable(flag) ? '…' : ''}`),
    '[flags]',
  ]
  return words.join(' ')
}

/** Ours: more values than fit here are listed beside the flag. */
const SHORT_CHOICE = 20

function flagRow(flag: Flag): Row {
  const summary = flag.summary ?? flag.description ?? ''
  const more = [
    isLongChoice(flag) ? `one of: ${optionsOf(flag)?.join(', ')}` : '',
    isRepeatable(flag) && !/repeat/.test(summary) ? 'repeatable' : '',
    defaultOf(flag, summary),
    flag.env ? `or ${flag.env}` : '',
  ].filter(Boolean)
  const value = flag.type === 'boolean' ? '' : ` ${valueName(flag)}`
  return [labelOf(flag) + value, more.length === 0 ? summary : `${summary} (${more.join('; ')})`]
}

function labelOf({name, char}: Flag): string {
  return `${char ? `-${char}, ` : ''}--${name}`
}

function defaultOf(flag: Flag, summary: string): string {
  const isShown = ['string', 'number'].includes(typeof flag.default) && flag.type !== 'boolean'
  return isShown && !summary.includes(String(flag.default)) ? `default ${flag.default}` : ''
}

function isRepeatable(flag: Flag): boolean {
  return flag.type === 'option' && Boolean(flag.multiple)
}

function optionsOf(flag: Flag): readonly string[] | undefined {
  return flag.type === 'option' ? flag.options : undefined
}

function isLongChoice(flag: Flag): boolean {
  return (optionsOf(flag)?.join('|').length ?? 0) > SHORT_CHOICE
}

function valueName(flag: Flag): string {
  const options = optionsOf(flag)
  if (options && !isLongChoice(flag)) return options.join('|')
  const named = flag.type === 'option' ? flag.helpValue : undefined
  return (Array.isArray(named) ? named.join(' ') : named) ?? (options ? flag.name.toUpperCase() : 'VALUE')
}

/** Where to read on: the group, the topic of the same name, and what every script needs. */
function seeAlso(id: string): Row[] {
  const [first = '', ...more] = id.split(/[: ]/)
  const group: Row[] = more.length > 0 ? [[`bookctl help ${first}`, `all of ${first}`]] : []
  return [
    ...group,
    ['bookctl help output', 'JSON, columns, queries, pipes'],
    ['bookctl help exit-codes', 'exit codes, for scripts'],
  ]
}

/** Ours: lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100
const NARROWEST = 40

/** The width help keeps to on a terminal of `columns`. */
export function helpWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(columns, WIDEST))
}

/** Paragraphs, separated by empty lines in `text`, wrapped; those that start with two spaces are kept as they are. */
export function prose(help: HelpFormatter, text: string, indent = 0): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(part => (part.startsWith('  ') ? part : help.wrap(part.replace(/\s+/g, ' '), indent)))
    .join('\n\n')
}

/** Names with their explanations beside them. */
export function list(help: HelpFormatter, rows: readonly (readonly [string, string])[]): string {
  return help.indent(
    help.renderList(
      rows.map(row => [...row]),
      {indentation: 2, spacer: '\n', stripAnsi: true},
    ),
  )
}

/** A command line for pasting, broken with `\` where it is longer than `width`, which has two columns of indent. */
export function pasteable(command: string, width: number): string {
  const lines = ['']
  for (const word of withValues(shellWords(command), width)) {
    const line = lines.at(-1) ?? ''
    const indent = lines.length === 1 ? 4 : 6
    if (line === '') lines[lines.length - 1] = word
    // Two columns are for the ` \`.
    else if (indent + line.length + 1 + word.length + 2 <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.map((line, index) => (index === 0 ? `$ ${line}` : `  ${line}`)).join(' \\\n')
}

/** The words with each flag and its value as one, where that fits on a line. */
function withValues(words: readonly string[], width: number): string[] {
  const joined: string[] = []
  for (const word of words) {
    const before = joined.at(-1) ?? ''
    const fits = before.length + word.length + 7 <= width
    if (/^--?[a-z-]+$/.test(before) && !word.startsWith('-') && fits)
      joined[joined.length - 1] = `${before} ${word}`
    else joined.push(word)
  }
  return joined
}

/** The words of a shell command with their quotes; spaces inside quotes and `$(…)` do not divide. */
function shellWords(command: string): string[] {
  return command.match(/(?:"(?:\$\([^)]*\)|[^"])*"|'[^']*'|[^\s"'])+/g) ?? []
}
