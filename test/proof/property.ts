/** A property that holds for whatever is made from a seed: a few hundred of them in `npm test`, thousands in the proof. */
import process from 'node:process'
import fc from 'fast-check'

export interface Property {
  readonly name: string
  /** How much longer than the others one check takes: so many times fewer are made. */
  readonly weight: number
  /** How often it was tried before the time was up, and what it did not hold for, made small. */
  check(seed: number, runs: number): Promise<{tried: number; failure?: string}>
}

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
        interruptAfterTimeLimit: 20 * 60_000,
      })
      const tried = found.numRuns
      if (!found.failed) return {tried}
      const {counterexample, errorInstance} = found
      const error =
        errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : errorInstance
      const value = fc.stringify(counterexample?.[0]).slice(0, 2000)
      return {tried, failure: `${name}, seed ${seed}: ${value}\n${String(error).slice(0, 1500)}`}
    },
  }
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
