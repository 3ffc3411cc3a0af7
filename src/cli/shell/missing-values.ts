/**
 * Handles required values that are missing: at a terminal it asks for them, elsewhere it refuses with an error that
 * names them all.
 */
import * as Flags from '@oclif/core/flags'
import type {OptionFlag} from '@oclif/core/interfaces'
import {usage} from '../../contract/failure.js'
import type {Client} from '../../contract/token-cache.js'
import {checkInteger} from '../input/checks.js'
import {matches} from '../input/match.js'
import {invalidOption, type Word, wordOf} from '../input/usage-errors.js'
import type {Choice, Prompts} from '../terminal/prompts/prompts.js'
import type {Candidate, Candidates, Source} from './completion.js'

/** The parts of oclif's definition of a flag or argument that are used here. */
export interface Spec
  extends Partial<Omit<OptionFlag<unknown>, 'type' | 'exclusive' | 'dependsOn' | 'parse'>> {
  readonly type?: 'boolean' | 'option'
  readonly exclusive?: readonly string[]
  readonly dependsOn?: readonly string[]
  readonly min?: number
  readonly max?: number
  /** The number that the flag has if it is given without a value. */
  readonly whenAlone?: number
  readonly parse?: (input: string, context: object, options: object) => Promise<unknown>
}

export interface Specs {
  readonly args: Readonly<Record<string, Spec>>
  readonly flags: Readonly<Record<string, Spec>>
  readonly strict: boolean
  /** The flag that an unexpected argument was probably meant for. */
  readonly bareWord?: string | undefined
}

type Values = Readonly<Record<string, unknown>>

export type MissingValue = ReturnType<typeof missingValues>[number]

/**
 * Returns the required values that `parsed` does not have, arguments first. `shown` is the name in errors: `REF` or
 * `--event`.
 */
export function missingValues(
  {args, flags}: Pick<Specs, 'args' | 'flags'>,
  parsed: {readonly args: Values; readonly flags: Values},
) {
  const find = (all: Specs['args'], values: Values, isFlag: boolean) =>
    Object.entries(all)
      .filter(([name, {required}]) => required && values[name] === undefined)
      .map(([name, spec]) => ({name, isFlag, shown: isFlag ? `--${name}` : name.toUpperCase(), spec}))
  return [...find(args, parsed.args, false), ...find(flags, parsed.flags, true)]
}

const INTEGER: unknown = Flags.integer().parse

/** Reads `input` as `spec` defines. Throws a usage error that names `from` if it is invalid. */
export async function readValue(spec: Spec, from: Word, input: string, context: object, options: object) {
  if (spec.options && !spec.options.includes(input)) throw invalidOption(from, input, spec.options)
  // oclif's own message would repeat the value.
  if (spec.parse !== INTEGER) return spec.parse?.(input, context, {...options, ...spec})
  return checkInteger(from.shown, input, spec.min ?? 0, spec.max ?? Number.MAX_SAFE_INTEGER)
}

/** Reads an answer as if it had been typed on the command line. Throws a usage error if it is invalid. */
export function readAnswer({name, isFlag, spec}: MissingValue, answer: string): Promise<unknown> {
  const context = {token: {type: isFlag ? 'flag' : 'arg'}}
  const from = wordOf(context, {}, name)
  return readValue(spec, from, answer, context, {name})
}

/** What is needed to ask for values. */
interface AskOptions {
  readonly prompts: Prompts
  readonly candidates: Candidates
  readonly configDirectory: string
  /** The client whose credentials the command uses. Undefined if none is configured. */
  readonly client: Client | undefined
  /** Returns the candidates of a kind that the service lists, or none if it does not list them or cannot be asked. */
  readonly listed: (kind: Source) => Promise<readonly Candidate[]>
}

/** Asks for each of `values` and returns `argv` with the answers added, as if they had been typed. */
export async function askMissing(
  values: readonly MissingValue[],
  argv: readonly string[],
  options: AskOptions,
) {
  const {withWayBack} = await import('../terminal/prompts/way-back.js')
  return withWayBack(options.prompts, async prompts => {
    const flags: string[] = []
    const words: string[] = []
    for (const value of values) {
      const answers = await askFor(value, {...options, prompts})
      if (value.isFlag) flags.push(...answers.map(answer => `${value.shown}=${answer}`))
      else words.push(...answers)
    }
    const dashes = words.length > 0 && !argv.includes('--') ? ['--'] : []
    return [...flags, ...argv, ...dashes, ...words]
  })
}

async function askFor(value: MissingValue, options: AskOptions): Promise<string[]> {
  const {spec, name, shown} = value
  const {prompts, candidates, configDirectory, client, listed} = options
  const text = spec.summary ?? spec.description ?? name
  const message = `${text.charAt(0).toUpperCase()}${text.slice(1)} (${shown})`
  const check = async (answer: string) => {
    if (answer === '') throw usage('missing', `${shown} must not be empty`)
    await readAnswer(value, answer)
  }
  const typed = async () => [await prompts.text({message, check})]
  let choices: readonly Choice<string>[] = (spec.options ?? []).map(option => ({value: option, name: option}))
  let isComplete = true
  const kind = candidates[name]
  if (!spec.options && kind !== undefined) {
    const {candidatesOf, COMPLETE} = await import('./completion.js')
    isComplete = COMPLETE.has(kind)
    // The service's description of a value replaces the stored one.
    const known = new Map([...(await candidatesOf(kind, configDirectory, client)), ...(await listed(kind))])
    choices = [...known].map(([value, description]) => ({
      value,
      name: description === '' ? value : `${value}  ${description}`,
      names: [value],
    }))
  }
  if (choices.length === 0) return typed()
  // If an argument accepts several values, a person who typed none is asked for one.
  if (spec.multiple && value.isFlag) return prompts.chooseSeveral({message, choices})
  if (isComplete) return [await prompts.choose({message, choices})]
  // The empty string marks this choice, because a value cannot be empty.
  const other = {value: '', name: 'Other (type it)', isAction: true}
  const find = (text: string) => [...choices.filter(({name}) => matches(name, text)), other]
  const chosen = await prompts.search({message, find})
  return chosen === '' ? typed() : [chosen]
}
