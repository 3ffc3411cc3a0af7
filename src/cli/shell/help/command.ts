/** The help of one command: what it does, usage, flags, examples and further reading. */
import type {Command} from '@oclif/core/command'
import {CommandHelp, type HelpFormatter, type HelpSectionRenderer} from '@oclif/core/help'
import {pasteable} from '../../terminal/text.js'
import {globalFlags, NAMED_FLAGS} from '../global-flags.js'

type Flag = Command.Flag.Any
type Row = [string, string]

export class CommandText extends CommandHelp {
  /** The text without the summary. A section with nothing in it is left out. */
  override generate(): string {
    return [prose(this, this.command.description ?? ''), super.generate()].filter(Boolean).join('\n\n')
  }

  protected override sections(): {header: string; generate: HelpSectionRenderer}[] {
    const own = (flags: Flag[]) => flags.filter(({name}) => !Object.hasOwn(globalFlags, name)).sort(byName)
    const examples = (this.command.examples ?? []) as string[]
    const width = this.opts.maxWidth
    const rows = (flags: Flag[]) => (flags.length === 0 ? undefined : flags.map(flagRow))
    return [
      {header: 'USAGE', generate: ({flags}) => this.wrap(usageOf(this.command, own(flags)))},
      {
        header: 'ARGUMENTS',
        generate: ({args}, header) => [{header, body: this.args(args.map(withListedChoices))}],
      },
      {header: 'FLAGS', generate: ({flags}, header) => [{header, body: rows(own(flags))}]},
      {header: 'EXAMPLES', generate: () => examples.map(one => `$ ${pasteable(one, width)}`).join('\n\n')},
      {header: 'ENVIRONMENT', generate: () => prose(this, environmentOf(this.command), 2)},
      {header: 'GLOBAL FLAGS', generate: () => this.wrap(GLOBAL_NAMES)},
      {header: 'SEE ALSO', generate: (_, header) => [{header, body: seeAlso(this.command.id)}]},
    ]
  }
}

const GLOBALS = NAMED_FLAGS.toSorted(byName)

const GLOBAL_NAMES = `${[...GLOBALS.map(labelOf), '-h, --help'].join('  ')}\n(explained in \`bookctl help flags\`)`

export function globalFlagRows(): Row[] {
  return [...GLOBALS.map(flagRow), ['-h, --help', 'explain the command, or the group']]
}

function byName(left: Flag, right: Flag): number {
  return left.name < right.name ? -1 : 1
}

const OF_THE_SERVICE =
  'BOOKCTL_PROFILE, BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET, BOOKCTL_TOKEN, BOOKCTL_SCOPES, BOOKCTL_STORE, BOOKCTL_CONFIG_DIR'

function environmentOf({environment}: Command.Loadable & {readonly environment?: readonly string[]}): string {
  const names = environment?.join(', ') ?? OF_THE_SERVICE
  return `${names}; \`bookctl help environment\` explains these and the others.`
}

function usageOf({id, args, strict}: Command.Loadable, flags: readonly Flag[]): string {
  const words = Object.values(args).map(arg => {
    const name = `${arg.name.toUpperCase()}${strict === false ? '…' : ''}`
    return arg.required ? name : `[${name}]`
  })
  const required = flags.filter(flag => flag.required)
  const typed = required.map(flag => `--${flag.name} ${valueName(flag)}${isRepeatable(flag) ? '…' : ''}`)
  return ['bookctl', ...id.split(/[: ]/), ...words, ...typed, '[flags]'].join(' ')
}

/** Longer lists of values are in the explanation of the flag. */
const MOST_CHOICE_LENGTH = 20

/** oclif joins the choices of an argument with bars, as one word, which was broken anywhere. */
function withListedChoices(arg: Command.Arg.Any): Command.Arg.Any {
  const {options = [], ...others} = arg
  if (options.join('|').length <= MOST_CHOICE_LENGTH) return arg
  return {...others, description: `${arg.description} (one of: ${options.join(', ')})`}
}

function flagRow(flag: Flag): Row {
  const {summary = '', env} = flag
  const choices = optionsOf(flag)
  const usual =
    flag.type === 'option' && ['string', 'number'].includes(typeof flag.default) ? flag.default : ''
  const more = [
    choices.join('|').length > MOST_CHOICE_LENGTH ? `one of: ${choices.join(', ')}` : '',
    isRepeatable(flag) && !/repeat/.test(summary) ? 'repeatable' : '',
    summary.includes(String(usual)) ? '' : `default ${usual}`,
    env ? `or ${env}` : '',
  ].filter(Boolean)
  const value = flag.type === 'boolean' ? '' : ` ${valueName(flag)}`
  return [labelOf(flag) + value, more.length === 0 ? summary : `${summary} (${more.join('; ')})`]
}

function labelOf({name, char}: Flag): string {
  return `${char ? `-${char}, ` : ''}--${name}`
}

function isRepeatable(flag: Flag): boolean {
  return flag.type === 'option' && Boolean(flag.multiple)
}

function optionsOf(flag: Flag): readonly string[] {
  return (flag.type === 'option' && flag.options) || []
}

function valueName(flag: Flag): string {
  const choice = optionsOf(flag).join('|')
  if (choice !== '' && choice.length <= MOST_CHOICE_LENGTH) return choice
  const named = flag.type === 'option' ? flag.helpValue : undefined
  return named === undefined ? (choice === '' ? 'VALUE' : flag.name.toUpperCase()) : String(named)
}

function seeAlso(id: string): Row[] {
  const [first = '', ...more] = id.split(/[: ]/)
  const group: Row[] = more.length > 0 ? [[`bookctl help ${first}`, `all of ${first}`]] : []
  return [
    ...group,
    ['bookctl help output', 'JSON, columns, queries, pipes'],
    ['bookctl help exit-codes', 'exit codes, for scripts'],
  ]
}

/** The width of help on a terminal of `columns`: longer lines are hard to read, shorter ones have no room. */
export function helpWidth(columns: number): number {
  // Where names and texts have lines of their own, oclif exceeds its width by two.
  return Math.max(38, columns < 60 ? columns - 2 : Math.min(columns, 100))
}

/** Paragraphs, separated by empty lines in `text`, wrapped; those that start with two spaces are kept as they are. */
export function prose(help: HelpFormatter, text: string, indent = 0): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(part => (part.startsWith('  ') ? part : help.wrap(part.replace(/\s+/g, ' '), indent)))
    .join('\n\n')
}

export function list(help: HelpFormatter, rows: readonly (readonly [string, string])[]): string {
  return help.indent(
    help.renderList(
      rows.map(row => [...row]),
      {indentation: 2, spacer: '\n', stripAnsi: true},
    ),
  )
}
