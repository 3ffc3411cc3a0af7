/**
 * Parses command lines. oclif stops at the first error and repeats values in its messages, even secrets. It therefore
 * gets flags that accept everything, and the checks are made here.
 */
import process from 'node:process'
import {Command} from '@oclif/core/command'
import type * as Interfaces from '@oclif/core/interfaces'
import {Failure} from '../../contract/failure.js'
import type {CalledOperations} from '../../contract/operations.js'
import type {Client} from '../../contract/token-cache.js'
import {
  collectFailure,
  combined,
  conflictingFlags,
  missing as missingWords,
  PartsFailure,
  requiresFlag,
  SEE_HELP,
  unexpectedArguments,
  unknownFlag,
  unreadableFlag,
  type Word,
  wordOf,
} from '../input/usage-errors.js'
import {checkColumns} from '../terminal/output.js'
import {type AskingFlags, mayAsk} from '../terminal/prompts/ask.js'
import type {Prompts} from '../terminal/prompts/prompts.js'
import type {Candidate, Candidates, Source} from './completion.js'
import {type GlobalFlags, globalFlags} from './global-flags.js'
import {
  askMissing,
  type MissingValue,
  missingValues,
  readValue,
  type Spec,
  type Specs,
} from './missing-values.js'

type Output = Pick<Interfaces.ParserOutput, 'args' | 'flags' | 'raw' | 'nonExistentFlags'>

interface Reading<T> {
  readonly output: T
  readonly errors: readonly Failure[]
  readonly missing: readonly MissingValue[]
  /** The names of the flags and arguments that have an invalid value. */
  readonly refused: readonly string[]
}

/** Receives the failed check of one flag or argument. */
type Take = (name: string, from: Word, failure: Failure) => void

/**
 * Parses `argv` and collects all errors. `parse` is called with specs that accept everything. With `ignoresVariables`,
 * an invalid environment variable is treated as not set.
 */
export async function readSoftly<T extends Output>(
  specs: Specs,
  argv: readonly string[],
  parse: (softened: Specs, argv: string[]) => Promise<T>,
  ignoresVariables = false,
): Promise<Reading<T>> {
  const {words, errors, refused} = readableWords(argv, specs.flags)
  const take: Take = (name, from, failure) => {
    if (!from.isVariable || !ignoresVariables) errors.push(failure)
    refused.push(name)
  }
  const softenAll = (all: Specs['args']) =>
    Object.fromEntries(Object.entries(all).map(([name, spec]) => [name, soften(spec, name, take)]))
  const softened = {strict: specs.strict, args: softenAll(specs.args), flags: softenAll(specs.flags)}
  const output: T = await parse(softened, words).catch(error => {
    // oclif's errors about unknown flags and unexpected arguments contain what was parsed.
    const read = error?.parse?.output
    if (read === undefined) throw error
    return read
  })
  const takesAll = !specs.strict || Object.values(specs.args).some(({multiple}) => multiple)
  const following = wordsOf(output).slice(Object.keys(specs.args).length)
  const surplus = takesAll ? [] : following
  if (surplus.length > 0 && specs.bareWord) refused.push(specs.bareWord)
  return {
    output,
    errors: [...errors, ...usageErrors(specs, output, surplus, following)],
    missing: missingValues(specs, output).filter(({name}) => !refused.includes(name)),
    refused,
  }
}

function wordsOf({raw}: Pick<Output, 'raw'>): string[] {
  return raw.filter(({type}) => type === 'arg').map(({input}) => input)
}

/**
 * Returns `spec` without anything that could make oclif refuse a value. If a check fails, `take` gets the error and the
 * value is undefined.
 */
function soften(spec: Spec, name: string, take: Take): Spec {
  if (spec.type === 'boolean') return {...spec, exclusive: [], dependsOn: []}
  const parse: Spec['parse'] = async (input, context, options) => {
    const from = wordOf(context, spec, name)
    try {
      return await readValue(spec, from, input, context, options)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      take(name, from, error)
      return error instanceof PartsFailure ? error.rest : undefined
    }
  }
  const {options: _, ...loose} = spec
  // Without ignoreStdin, oclif reads a missing argument from standard input. A greedy flag would take arguments as its
  // values.
  const oclif = {ignoreStdin: true, ...(spec.multiple ? {multipleNonGreedy: true} : {})}
  return {...loose, exclusive: [], dependsOn: [], required: false, parse, ...oclif}
}

/**
 * Returns the errors of the whole command line. `following` are the words beyond one for each argument; one of them may
 * be the value of an unknown flag.
 */
function usageErrors(
  specs: Specs,
  {raw, nonExistentFlags = [], flags}: Output,
  surplus: readonly string[],
  following: readonly string[],
) {
  const unknown = nonExistentFlags.map(word => unknownFlag(word, Object.keys(specs.flags), following))
  // An unexpected argument may be the value of an unknown flag, so only the flag is reported.
  const isSurplus = surplus.length > 0 && unknown.length === 0
  const tooMany = isSurplus ? [unexpectedArguments(surplus, specs.bareWord)] : []
  const given = (name: string) =>
    raw.some(token => token.type === 'flag' && token.flag === name) ||
    process.env[specs.flags[name]?.env ?? '']
  const pairs = Object.keys(specs.flags)
    .filter(name => flags[name] !== undefined && given(name))
    .flatMap(name => {
      const {exclusive = [], dependsOn = []} = specs.flags[name] ?? {}
      return [
        ...exclusive.filter(given).map(other => conflictingFlags(other, name)),
        ...dependsOn.filter(other => !given(other)).map(other => requiresFlag(name, other)),
      ]
    })
  return [...unknown, ...tooMany, ...pairs]
}

/**
 * Joins each value to its flag, and removes what would stop oclif's parser at once: flags that occur twice, and flags
 * without a value. `--wait` without digits after it becomes `--wait=900`.
 */
function readableWords(argv: readonly string[], flags: Specs['flags']) {
  const given: {name?: string | undefined; word: string; isComplete: boolean}[] = []
  const queue = [...argv]
  const nameOf = (word: string) => {
    const [, char] = word
    if (word.startsWith('--')) return Object.hasOwn(flags, word.slice(2)) ? word.slice(2) : undefined
    if (!word.startsWith('-') || char === undefined) return undefined
    return Object.keys(flags).find(name => flags[name]?.char === char)
  }
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') {
      given.push(...[word, ...queue.splice(0)].map(rest => ({word: rest, isComplete: true})))
      break
    }
    const [, long, ofLong] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
    const name = nameOf(long ?? word)
    const {type, whenAlone} = flags[name ?? ''] ?? {}
    const isShort = !word.startsWith('--') && word.length > 2
    if (type === 'boolean' && isShort) {
      // `-vv` means `-v -v`.
      queue.unshift(`-${word.slice(2)}`)
      given.push({name, word: word.slice(0, 2), isComplete: true})
    } else if (name === undefined || type === 'boolean') {
      given.push({name, word, isComplete: true})
    } else {
      const ofShort = isShort ? word.slice(word[2] === '=' ? 3 : 2) : undefined
      let value = ofLong ?? ofShort
      const [next] = queue
      if (value === undefined && whenAlone !== undefined && !/^\d+$/.test(next ?? '')) value = `${whenAlone}`
      else if (value === undefined && next !== undefined && nameOf(next) === undefined) value = queue.shift()
      const isComplete = value !== undefined && nameOf(value) === undefined
      given.push({name, word: `--${name}=${value}`, isComplete})
    }
  }
  const errors: Failure[] = []
  const refused: string[] = []
  for (const [name, {multiple, type, options}] of Object.entries(flags)) {
    const same = given.filter(each => each.name === name)
    const isTwice = type !== 'boolean' && !multiple && same.length > 1
    if (!isTwice && same.every(({isComplete}) => isComplete)) continue
    errors.push(unreadableFlag(name, options, isTwice))
    refused.push(name)
  }
  const words = given.filter(({name = ''}) => !refused.includes(name)).map(({word}) => word)
  return {words, errors, refused}
}

export abstract class ParsingCommand extends Command {
  static override baseFlags = globalFlags
  /** The valid names for `--columns`. Undefined if they depend on the service's answer. */
  static columns: readonly string[] | undefined

  /** The flag that an unexpected argument was probably meant for. */
  static bareWord: string | undefined

  /**
   * The environment variables that help names for the command (default: those of every command that calls the service).
   */
  static environment: readonly string[] | undefined

  /** The operations of the service that the command calls. `bookctl help scopes` lists the scopes that they need. */
  static operations: CalledOperations = {}

  /**
   * The kinds of candidates for the command's arguments and flags. Completion, and questions about missing values, use
   * them.
   */
  static candidates: Candidates = {}

  protected globals: Partial<GlobalFlags> = {}
  /** The values of the global flags on the command line, without those from the environment. */
  protected typed: Readonly<Record<string, string | undefined>> = {}
  /** How often --verbose was given. */
  protected verbosity = 0
  /** The value of `--timeout` or, once a connection is open, of the setting. */
  timeoutSeconds: number | undefined

  /** Whether the command shows settings. An invalid environment variable is then shown instead of refused. */
  readonly showsSettings: boolean = false

  protected abstract prompts(flags: AskingFlags): Promise<Prompts>
  /** Returns the client in use and its service, or undefined if none is configured. */
  protected abstract client(): Promise<Client | undefined>
  /** Returns the candidates of a kind that the service lists, or none if it does not list them or cannot be asked. */
  protected abstract listed(kind: Source): Promise<readonly Candidate[]>

  /** Parses the words of the command line. Throws a usage error that names all mistakes at once. */
  protected override async parse<
    F extends Record<string, unknown>,
    B extends Record<string, unknown>,
    A extends Record<string, unknown>,
  >(command: Interfaces.Input<F, B, A>, argv = this.argv): Promise<Interfaces.ParserOutput<F, B, A>> {
    const flags = {...command.baseFlags, ...command.flags}
    const {columns, bareWord, candidates} = this.constructor as typeof ParsingCommand
    const {args = {}, strict = true} = command
    const specs = {args, flags, strict, bareWord} as unknown as Specs
    const read = (words: readonly string[]): Promise<Reading<Interfaces.ParserOutput<F, B, A>>> =>
      readSoftly(specs, words, (soft, all) => super.parse(soft as never, all), this.showsSettings)
    let reading = await read(argv)
    const leading = this.leading(wordsOf(reading.output), reading.output.flags)
    const line = [...leading, ...argv]
    if (leading.length > 0) reading = await read(line)
    const {missing: asked, errors: wrong, output: typed} = reading
    if (asked.length > 0 && wrong.length === 0 && mayAsk(typed.flags)) {
      this.takeGlobals(typed)
      const {configDir: configDirectory} = this.config
      const listed = (kind: Source) => this.listed(kind)
      const askOptions = {prompts: await this.prompts(typed.flags), client: await this.client(), listed}
      reading = await read(await askMissing(asked, line, {...askOptions, candidates, configDirectory}))
    }
    const {output, errors, missing, refused} = reading
    const all = [...errors]
    this.takeGlobals(output)
    try {
      // With --query, the columns depend on what the query finds.
      if (this.globals.query === undefined) checkColumns(columns, this.globals.columns)
    } catch (error) {
      collectFailure(all)(error)
    }
    if (all.length > 0)
      all.push(...((await this.alsoWrong(output, refused).catch(collectFailure(all))) ?? []))
    const code = missing.some(({isFlag}) => isFlag) ? 'missing_flag' : 'missing_argument'
    const words = missing.map(({shown}) => shown)
    if (words.length > 0) all.push(missingWords(words, SEE_HELP, code))
    if (all.length > 0) throw combined(all)
    return output
  }

  /** Returns words to insert before the typed words, given the parsed arguments and flags. */
  protected leading(_words: readonly string[], _flags: Interfaces.ParserOutput['flags']): string[] {
    return []
  }

  /**
   * Returns further errors, which the command itself would find only later. It is called if the command line is already
   * invalid. `refused` has the names with invalid values.
   */
  protected async alsoWrong(
    _output: Pick<Interfaces.ParserOutput, 'args' | 'flags'>,
    _refused: readonly string[],
  ): Promise<Failure[]> {
    return []
  }

  private takeGlobals({flags, raw}: Interfaces.ParserOutput): void {
    if (flags.format === 'json') Object.assign(flags, {json: true})
    this.globals = flags as unknown as GlobalFlags
    this.timeoutSeconds = this.globals.timeout
    const names = raw.flatMap(token => (token.type === 'flag' && token.flag in globalFlags ? token.flag : []))
    this.typed = Object.fromEntries(names.map(name => [name, String(flags[name])]))
    this.verbosity = names.filter(name => name === 'verbose').length
  }
}
