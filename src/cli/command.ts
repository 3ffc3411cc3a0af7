/** What a command says of itself, and what it is given to run: the words after its name, and the program. */
import type {ArgInput, FlagInput} from '@oclif/core/interfaces'
import type {Program} from './program.js'
import type {Candidates} from './usage/missing-values.js'

export abstract class Command {
  /** One line for lists of commands; `description` and `examples` are for its own help. */
  static summary: string
  static description: string
  static examples: string[]

  /** Its arguments and flags, without those of every command, in the terms of oclif's parser. */
  static args: ArgInput = {}
  static flags: FlagInput = {}
  /** Whether more arguments than `args` names are refused. */
  static strict = true
  /** Names `--columns` takes; absent when they depend on the answer. Checked before anything is sent. */
  static columns: readonly string[] | undefined

  /** What its arguments and flags are called to the machine, for completion and to be offered when they are missing. */
  static candidates: Candidates = {}

  /** `argv` is what follows the command's name; `id` is as `hotels:search`. */
  constructor(
    protected argv: string[],
    protected readonly config: Program,
    protected readonly id: string,
  ) {}
}
