/** A property that must hold for all values made from a seed, and the texts that most of them try. */
import process from 'node:process'
import fc from 'fast-check'
import {describeFailure} from '../../../src/cli/shell/exit-codes.js'
import {Failure} from '../../../src/contract/failure.js'
import {anyString} from '../../support/any-text.js'

export interface Property {
  readonly name: string
  /** Tries it with `runs` values, or fewer if it takes longer than others. */
  check(seed: number, runs: number): Promise<Checked>
}

export interface Checked {
  readonly tried: number
  /** What it did not hold for, made small; or that time ran out. */
  readonly failure: string | undefined
}

/** Three times what the longest takes on a busy machine. */
const MOST_MINUTES = 60
/** Of the processor; what takes more has no bound. */
const MOST_MILLISECONDS = 8000

/** `holds` throws or rejects for a value for which it does not. `examples` are tried first; `weight` divides the runs. */
export function property<T>(
  name: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => unknown,
  {weight = 1, examples = []}: {weight?: number; examples?: readonly NoInfer<T>[]} = {},
): Property {
  const timed = async (value: T) => {
    const began = process.cpuUsage()
    await holds(value)
    const {user, system} = process.cpuUsage(began)
    must((user + system) / 1000 < MOST_MILLISECONDS, `took ${(user + system) / 1000} ms`)
    must(!('polluted' in {}), 'a property was added to every object')
  }
  return {
    name,
    check: (seed, runs) =>
      checkAll(name, values, timed, {
        seed,
        runs: Math.max(examples.length, Math.ceil(runs / weight)),
        examples,
      }),
  }
}

/** Tries `holds` with values up to the first that fails, which is made small and written by `show`. */
export async function checkAll<T>(
  name: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
  {seed, runs, examples = []}: {seed: number; runs: number; examples?: readonly T[]},
  show: (value: T) => string = fc.stringify,
): Promise<Checked> {
  const found = await fc.check(fc.asyncProperty(values, holds), {
    ...{seed, numRuns: runs, examples: examples.map((example): [T] => [example])},
    ...{interruptAfterTimeLimit: MOST_MINUTES * 60_000, markInterruptAsFailure: true},
  })
  const {failed, counterexample, errorInstance, numRuns} = found
  if (!failed) return {tried: numRuns, failure: undefined}
  const error = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  const what = counterexample
    ? `${show(counterexample[0]).slice(0, 2000)}\n${String(error).slice(0, 1500)}`
    : `interrupted after ${MOST_MINUTES} minutes, ${numRuns} tried`
  return {tried: numRuns, failure: `${name}, seed ${seed}: ${what}`}
}

/** Throws, with `shown`, unless it holds. */
export function must(holds: boolean, ...shown: readonly unknown[]): void {
  if (holds) return
  throw new Error(shown.map(each => (typeof each === 'string' ? each : fc.stringify(each))).join(' | '))
}

/** The value of `work`; or the text of the Failure it throws, which must be fit for a terminal. Nothing else may be thrown. */
export async function attempt<T>(work: () => T | Promise<T>): Promise<{value?: T; refusal?: string}> {
  try {
    return {value: await work()}
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const {exit, text} = describeFailure(error)
    must(exit > 1 && dangerousIn(text.replaceAll('\n', '')) === undefined, exit, text)
    return {refusal: text}
  }
}

/** The lines of a text, without indentation. */
export const lines = (text: string) => text.trim().split(/\s*\n\s*/)
export const words = (text: string) => text.trim().split(/\s+/)

const OBEYED = ['\u001b[31m', '\u001b]8;;https://x\u0007', '\u009b2J', '\u202e', '\u2066', '\u200b', '\ud800']
const ODD = ['e\u0301', '\r', '\n', '\t', '\u2028', '\u{e0041}']

/** Text of all characters, of those that terminals and readers stumble over, of several scripts. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  anyString(),
  fc.array(fc.integer({min: 0, max: 0xffff})).map(codes => String.fromCharCode(...codes)),
  fc
    .array(fc.constantFrom(...OBEYED, ...ODD, ...words('a ş 東京 👩‍👩‍👧‍👦 ❤️ 1️⃣ " \' , ; | = \\ %')))
    .map(parts => parts.join('')),
)

/** Emoji, alone or up to four joined, and keycaps: the only place of a joiner or a variation selector. */
const EMOJI = /(?:\p{ExtPict}(?:\ufe0f|\p{EMod})?(?:\u200d(?=\p{ExtPict}))?){1,4}|[\d#*]\ufe0f\u20e3/gu

/**
 * First and last of what a terminal obeys or a person does not see, by number, so that no name of a class can mean more or
 * less than was thought: controls, bidi, zero width, selectors, no characters at all, blanks.
 */
const DANGEROUS: readonly (readonly [number, number])[] = [
  ...([
    [0, 0x1f],
    [0x7f, 0x9f],
    [0x2028, 0x2029],
  ] as const),
  ...([
    [0x61c, 0x61c],
    [0x200e, 0x200f],
    [0x202a, 0x202e],
    [0x2066, 0x2069],
  ] as const),
  ...([
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x180e, 0x180e],
    [0x200b, 0x200d],
    [0xfeff, 0xfeff],
    [0x2060, 0x2065],
  ] as const),
  ...([
    [0xfe00, 0xfe0f],
    [0x180b, 0x180d],
    [0xe0000, 0xe0fff],
  ] as const),
  ...([
    [0xd800, 0xdfff],
    [0xe000, 0xf8ff],
    [0xf0000, 0x10ffff],
    [0xfff0, 0xfffb],
  ] as const),
  ...([
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x2800, 0x2800],
    [0x3164, 0x3164],
    [0xffa0, 0xffa0],
  ] as const),
]

/** The number of the first dangerous character of a text. */
export function dangerousIn(text: string): string | undefined {
  for (const character of text.replace(EMOJI, '')) {
    const code = character.codePointAt(0) ?? 0
    if (DANGEROUS.some(([first, last]) => code >= first && code <= last)) return code.toString(16)
  }
  return undefined
}
