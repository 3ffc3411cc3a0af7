/** What a command says of itself, for help and completion; the build writes it to the manifest. */
import type {Candidates} from './missing-values.js'

export interface ArgumentFacts {
  readonly name: string
  readonly description?: string
  readonly options?: readonly string[]
  readonly required?: boolean
}

export interface FlagFacts {
  readonly name: string
  /** `boolean`, or `option` for one with a value. */
  readonly type: string
  readonly char?: string
  readonly summary?: string
  readonly description?: string
  readonly helpValue?: string | string[]
  readonly options?: readonly string[]
  readonly default?: unknown
  readonly env?: string
  readonly multiple?: boolean
  readonly required?: boolean
  readonly hidden?: boolean
}

export interface CommandFacts {
  /** `hotels:search` for `bookctl hotels search`. */
  readonly id: string
  readonly summary?: string
  readonly description?: string
  readonly examples?: readonly string[]
  /** False when it takes any number of arguments. */
  readonly strict?: boolean
  readonly args: Readonly<Record<string, ArgumentFacts>>
  /** Its own flags, without those of every command. */
  readonly flags: Readonly<Record<string, FlagFacts>>
  readonly columns?: readonly string[]
  readonly candidates?: Candidates
}

/** The facts of the commands `ids`, each loaded by `load`, as JSON has them: what is computed at run time is left out. */
export async function describeCommands(
  ids: readonly string[],
  load: (id: string) => Promise<unknown>,
): Promise<CommandFacts[]> {
  const classes = await Promise.all(ids.map(load))
  return ids.map((id, index) => {
    const {summary, description, examples, strict, args, flags, columns, candidates} = classes[
      index
    ] as CommandFacts
    const texts = {summary, description, examples, strict, columns, candidates}
    return JSON.parse(JSON.stringify({id, ...texts, args: named(args), flags: named(flags)}))
  })
}

function named(all: object): object {
  return Object.fromEntries(
    Object.entries(all).map(([name, spec]) => [
      name,
      {...spec, name, default: spec.defaultHelp ?? spec.default},
    ]),
  )
}
