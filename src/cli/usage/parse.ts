/** The words after a command's name, read by oclif's parser with the flags of every command. */
import type * as Interfaces from '@oclif/core/interfaces'
import {parse} from '@oclif/core/parser'
import {globalFlags} from './global-flags.js'
import {withNothingRequired} from './missing-values.js'

export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>

/** What a command takes; its class has it as statics. */
export type Specs<F extends Values, A extends Values> = Interfaces.Input<F, Record<never, never>, A>

export type Values = Record<string, unknown>

export type Parsed<F extends Values, A extends Values> = Interfaces.ParserOutput<
  F & GlobalFlags,
  Record<never, never>,
  A
>

/**
 * Reads `argv` by `specs`, taking nothing for required; `--format json` is read as `--json`. Throws what oclif throws;
 * see parse-errors.ts.
 */
export async function parseWords<F extends Values, A extends Values>(
  specs: Specs<F, A>,
  argv: readonly string[],
): Promise<Parsed<F, A>> {
  const {args, flags, strict} = withNothingRequired(specs)
  const input = {args, flags: {...globalFlags, ...flags}, strict}
  const parsed = await parse<F & GlobalFlags, Record<never, never>, A>([...argv], input as never)
  if (parsed.flags.format === 'json') Object.assign(parsed.flags, {json: true})
  return parsed
}
