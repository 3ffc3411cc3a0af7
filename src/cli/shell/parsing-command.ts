/** The half of every command that reads its command line: oclif's parser, our judgement, questions for what is missing. */
import {Command} from '@oclif/core/command'
import type * as Interfaces from '@oclif/core/interfaces'
import {checkColumns} from '../terminal/output.js'
import {type AskingFlags, mayAsk} from '../terminal/prompts/ask.js'
import type {Prompts} from '../terminal/prompts/prompts.js'
import {type GlobalFlags, globalFlags} from './global-flags.js'
import {askMissing, type Candidates, type MissingValue, refuseMissing} from './missing-values.js'
import {combined, type Reading, readAnswer, readSoftly, type Specs} from './parse.js'

export abstract class ParsingCommand extends Command {
  static override baseFlags = globalFlags
  /** Names `--columns` takes; absent when they depend on the answer. Checked before anything is sent. */
  static columns: readonly string[] | undefined

  /** What its arguments and flags are called to the machine, for completion and to be offered when they are missing. */
  static candidates: Candidates = {}

  protected globals: Partial<GlobalFlags> = {}
  /** How often --verbose was given. */
  protected verbosity = 0
  /** `--timeout`, when it was given; once there is a connection, that of the settings otherwise. */
  protected timeoutSeconds: number | undefined

  /** Whether it is there to show settings: a wrong one of the environment is then no reason to refuse it. */
  readonly showsSettings: boolean = false

  protected abstract prompts(flags: AskingFlags): Promise<Prompts>

  /** Parses the arguments and checks the flags of every command. Throws usage, naming every mistake at once. */
  protected override async parse<
    F extends Record<string, unknown>,
    B extends Record<string, unknown>,
    A extends Record<string, unknown>,
  >(command: Interfaces.Input<F, B, A>, argv = this.argv): Promise<Interfaces.ParserOutput<F, B, A>> {
    const flags = {...command.baseFlags, ...command.flags}
    const specs = {args: command.args ?? {}, flags, strict: command.strict ?? true} as unknown as Specs
    const read = (words: readonly string[]): Promise<Reading<Interfaces.ParserOutput<F, B, A>>> =>
      readSoftly(specs, words, (soft, all) => super.parse(soft as never, all), this.showsSettings)
    let {output, mistakes, missing} = await read(argv)
    if (output && missing.length > 0 && mistakes.length === 0 && mayAsk(output.flags))
      ({output, mistakes, missing} = await read(await this.askMissing(missing, argv, output.flags)))
    const refused = missing.length > 0 ? [...mistakes, refuseMissing(missing)] : mistakes
    if (output === undefined || refused.length > 0) throw combined(refused)
    this.takeGlobals(output)
    return output
  }

  private takeGlobals({flags, raw}: Interfaces.ParserOutput): void {
    if (flags.format === 'json') Object.assign(flags, {json: true})
    this.globals = flags as unknown as GlobalFlags
    checkColumns((this.constructor as typeof ParsingCommand).columns, this.globals.columns)
    this.timeoutSeconds = this.globals.timeout
    this.verbosity = raw.filter(token => token.type === 'flag' && token.flag === 'verbose').length
  }

  /** The words typed, and answers for what is missing. */
  private async askMissing(
    missing: readonly MissingValue[],
    argv: readonly string[],
    flags: AskingFlags,
  ): Promise<string[]> {
    return askMissing(missing, argv, {
      prompts: await this.prompts(flags),
      candidates: (this.constructor as typeof ParsingCommand).candidates,
      configDirectory: this.config.configDir,
      read: readAnswer,
    })
  }
}
