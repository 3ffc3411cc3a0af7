/** A property that holds for whatever is made from a seed: a few hundred of them in `npm test`, thousands in the proof. */
import process from 'node:process'
import fc from 'fast-check'

export interface Property {
  readonly name: string
  /** How much longer than the others one check takes: so many times fewer are made. */
  readonly weight: number
  /** Tries it with `runs` values, fewer of those that take longer. */
  check(seed: number, runs: number): Promise<Checked>
}

/** What came of trying values one after the other. */
export interface Checked {
  /** With how many of them it was tried, up to the one that failed. */
  readonly tried: number
  /** What it did not hold for, made small, or that time ran out before all were tried. */
  readonly failure: string | undefined
}

/** Ours: three times what the longest takes on a busy machine. */
const MOST_MINUTES = 60

/** What fast-check is given so that it ends, and does not end quietly when the time is up. */
export const ENDING = {interruptAfterTimeLimit: MOST_MINUTES * 60_000, markInterruptAsFailure: true} as const

/** Ours, of the processor and not of the clock on the wall: far more than the longest takes; what takes more has no bound. */
const MOST_MILLISECONDS = 8000

/** `holds` throws for a value for which it does not; it may wait. `examples` are tried before all others. */
export function property<T>(
  name: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => unknown,
  {weight = 1, examples = []}: {weight?: number; examples?: readonly NoInfer<T>[]} = {},
): Property {
  return {
    name,
    weight,
    async check(seed, runs) {
      const timed = fc.asyncProperty(values, async value => {
        const began = process.cpuUsage()
        await holds(value)
        const {user, system} = process.cpuUsage(began)
        const took = (user + system) / 1000
        if (took > MOST_MILLISECONDS) throw new Error(`took ${Math.round(took)} ms`)
        if ('polluted' in {}) throw new Error('a property was added to every object')
      })
      const numRuns = Math.max(examples.length, Math.ceil(runs / weight))
      const given = examples.map((example): [T] => [example])
      const found = await fc.check(timed, {
        seed,
        numRuns,
        examples: given,
        ...ENDING,
      })
      return {
        tried: found.numRuns,
        failure: failureOf(found, `${name}, seed ${seed}`, ([value]) => fc.stringify(value)),
      }
    },
  }
}

/** What `found` says of a failure, with its value as `show` writes it; undefined when there is none. */
export function failureOf<T>(
  {failed, counterexample, errorInstance, numRuns}: fc.RunDetails<T>,
  name: string,
  show: (value: T) => string,
): string | undefined {
  if (!failed) return undefined
  if (counterexample === null) return `${name}: interrupted after ${MOST_MINUTES} minutes, ${numRuns} tried`
  const error =
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : errorInstance
  return `${name}: ${show(counterexample).slice(0, 2000)}\n${String(error).slice(0, 1500)}`
}

/** Throws, with `told`, unless it holds. */
export function must(holds: boolean, ...told: readonly unknown[]): void {
  if (!holds)
    throw new Error(told.map(each => (typeof each === 'string' ? each : fc.stringify(each))).join(' | '))
}

/** Text of every kind: of all characters, of those that terminals and readers stumble over, of several scripts. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({unit: 'binary'}),
  fc.string({unit: 'grapheme'}),
  fc.array(fc.integer({min: 0, max: 0xffff})).map(codes => String.fromCharCode(...codes)),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '\u001b[31m',
          '\u001b]8;;https://x\u0007',
          '\u009b2J',
          '\u202e',
          '\u2066',
          '\u200b',
          '\ud800',
          '\u{e0041}',
        ),
        fc.constantFrom(
          'a',
          'ş',
          '東京',
          '👩‍👩‍👧‍👦',
          '❤️',
          '1️⃣',
          'e\u0301',
          '\r',
          '\n',
          '\t',
          '"',
          "'",
          ',',
          ';',
          '|',
          '=',
          '\\',
          '%',
          '\u2028',
        ),
      ),
    )
    .map(parts => parts.join('')),
)
