/**
 * Required arguments and flags that were not given: all of them are found at once. At a terminal each is asked for, by
 * its description, with what the machine knows to choose from; elsewhere the command is refused, naming every one.
 */
import {type Failure, usage} from '../../contract/failure.js'
import {SEE_HELP} from '../input/usage-errors.js'
import type {Choice, Prompts} from '../terminal/prompts/prompts.js'
import type {Source} from './candidates.js'

/** Names of arguments and flags, each with the kind of word that may stand for it. */
export type Candidates = Readonly<Record<string, Source>>

/** What is read of oclif's definition of an argument or a flag. */
interface Spec {
  readonly required?: boolean
  readonly multiple?: boolean
  readonly options?: readonly string[]
  readonly description?: string
  readonly summary?: string
}

interface Specs {
  readonly args?: object
  readonly flags?: object
}

/** A required argument or flag that was not given. */
export interface MissingValue {
  /** As the command defines it. */
  readonly name: string
  readonly isFlag: boolean
  /** As it is told: `REF`, `--event`. */
  readonly shown: string
  readonly spec: Spec
}

/** What `specs` requires and `parsed` lacks, arguments first. */
export function missingValues(
  specs: Specs,
  parsed: {readonly args: Record<string, unknown>; readonly flags: Record<string, unknown>},
): MissingValue[] {
  const required = (all: object | undefined, values: Record<string, unknown>): [string, Spec][] =>
    Object.entries((all ?? {}) as Record<string, Spec>).filter(
      ([name, spec]) => spec.required && values[name] === undefined,
    )
  return [
    ...required(specs.args, parsed.args).map(([name, spec]) => ({
      name,
      isFlag: false,
      shown: name.toUpperCase(),
      spec,
    })),
    ...required(specs.flags, parsed.flags).map(([name, spec]) => ({
      name,
      isFlag: true,
      shown: `--${name}`,
      spec,
    })),
  ]
}

/** Usage error that lists the missing values. */
export function refuseMissing(values: readonly MissingValue[]): Failure {
  const code = values.every(({isFlag}) => !isFlag) ? 'missing_argument' : 'missing_flag'
  return usage(code, `missing: ${values.map(({shown}) => shown).join(', ')}`, SEE_HELP)
}

export interface Asking {
  readonly prompts: Prompts
  readonly candidates: Candidates
  /** Where the machine keeps what it knows. */
  readonly configDirectory: string
  /** Reads an answer as soon as it is typed; throws Failure. */
  readonly read: (value: MissingValue, answer: string) => Promise<unknown>
}

/** Asks for each of `values`; returns `argv` with the answers, as if they had been typed. */
export async function askMissing(
  values: readonly MissingValue[],
  argv: readonly string[],
  asking: Asking,
): Promise<string[]> {
  const {withWayBack} = await import('../terminal/prompts/way-back.js')
  return withWayBack(asking.prompts, prompts => askEach(values, argv, {...asking, prompts}))
}

async function askEach(
  values: readonly MissingValue[],
  argv: readonly string[],
  asking: Asking,
): Promise<string[]> {
  const flags: string[] = []
  const words: string[] = []
  for (const value of values) {
    const answers = await askFor(value, asking)
    if (value.isFlag) flags.push(...answers.map(answer => `${value.shown}=${answer}`))
    else words.push(...answers)
  }
  const dashes = words.length > 0 && !argv.includes('--') ? ['--'] : []
  return [...flags, ...argv, ...dashes, ...words]
}

async function askFor(value: MissingValue, asking: Asking): Promise<string[]> {
  const {spec, name, shown} = value
  const {prompts} = asking
  const message = `${capitalised(spec.summary ?? spec.description ?? name)} (${shown})`
  const check = async (answer: string) => {
    if (answer === '') throw usage('missing', `${shown} must not be empty`)
    await asking.read(value, answer)
  }
  const typed = async () => [await prompts.text({message, check})]
  const {choices, complete} = await knownChoices(value, asking)
  if (choices.length === 0) return typed()
  if (spec.multiple) return prompts.chooseSeveral({message, choices})
  if (complete) return [await prompts.choose({message, choices})]
  const other: Choice<undefined> = {value: undefined, name: 'Other (type it)'}
  const chosen = await prompts.choose<string | undefined>({message, choices: [...choices, other]})
  return chosen === undefined ? typed() : [chosen]
}

/** What may be chosen from, and whether there is nothing else. */
async function knownChoices({spec, name}: MissingValue, {candidates, configDirectory}: Asking) {
  if (spec.options) return {choices: spec.options.map(value => ({value, name: value})), complete: true}
  const kind = candidates[name]
  if (kind === undefined) return {choices: [], complete: false}
  const {candidatesOf, COMPLETE} = await import('./candidates.js')
  const choices = candidatesOf(kind, configDirectory).map(({value, description}) => ({
    value,
    name: description === '' ? value : `${value}  ${description}`,
  }))
  return {choices, complete: COMPLETE.has(kind)}
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
