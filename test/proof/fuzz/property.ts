/** A property that must hold for all values made from a seed. */
import process from 'node:process'
import fc from 'fast-check'

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
/** What fast-check is given to end, and not quietly. */
export const ENDING = {interruptAfterTimeLimit: MOST_MINUTES * 60_000, markInterruptAsFailure: true} as const
/** Of the processor; what takes more has no bound. */
const MOST_MILLISECONDS = 8000

/** `holds` throws or rejects for a value for which it does not. `examples` are tried first; `weight` divides the runs. */
export function property<T>(
  name: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => unknown,
  {weight = 1, examples = []}: {weight?: number; examples?: readonly NoInfer<T>[]} = {},
): Property {
  const timed = fc.asyncProperty(values, async value => {
    const began = process.cpuUsage()
    await holds(value)
    const {user, system} = process.cpuUsage(began)
    must((user + system) / 1000 < MOST_MILLISECONDS, `took ${(user + system) / 1000} ms`)
    must(!('polluted' in {}), 'a property was added to every object')
  })
  return {
    name,
    async check(seed, runs) {
      const numRuns = Math.max(examples.length, Math.ceil(runs / weight))
      const given = examples.map((example): [T] => [example])
      const found = await fc.check(timed, {seed, numRuns, examples: given, ...ENDING})
      const failure = failureOf(found, `${name}, seed ${seed}`, ([value]) => fc.stringify(value))
      return {tried: found.numRuns, failure}
    },
  }
}

/** What `found` says of a failure, with its value as `show` writes it. */
export function failureOf<T>(
  {failed, counterexample, errorInstance, numRuns}: fc.RunDetails<T>,
  name: string,
  show: (value: T) => string,
): string | undefined {
  if (!failed) return undefined
  if (counterexample === null) return `${name}: interrupted after ${MOST_MINUTES} minutes, ${numRuns} tried`
  const error = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  return `${name}: ${show(counterexample).slice(0, 2000)}\n${String(error).slice(0, 1500)}`
}

/** Throws, with `shown`, unless it holds. */
export function must(holds: boolean, ...shown: readonly unknown[]): void {
  if (holds) return
  throw new Error(shown.map(each => (typeof each === 'string' ? each : fc.stringify(each))).join(' | '))
}

/** What `work` throws, if anything. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

/** The lines of a text, without indentation. */
export const lines = (text: string) => text.trim().split(/\s*\n\s*/)
export const words = (text: string) => text.trim().split(/\s+/)

const OBEYED = ['\u001b[31m', '\u001b]8;;https://x\u0007', '\u009b2J', '\u202e', '\u2066', '\u200b', '\ud800']
const ODD = [
  ...words('a ş 東京 👩‍👩‍👧‍👦 ❤️ 1️⃣ " \' , ; | = \\ %'),
  'e\u0301',
  '\r',
  '\n',
  '\t',
  '\u2028',
  '\u{e0041}',
]

/** Text of all characters, of those that terminals and readers stumble over, of several scripts. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({unit: 'binary'}),
  fc.string({unit: 'grapheme'}),
  fc.array(fc.integer({min: 0, max: 0xffff})).map(codes => String.fromCharCode(...codes)),
  fc.array(fc.oneof(fc.constantFrom(...OBEYED), fc.constantFrom(...ODD))).map(parts => parts.join('')),
)
