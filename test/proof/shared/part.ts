/** A part of the proof: named cells, each of which finds errors, and the code that selects and runs them. */

interface Outcome {
  /** The row of the result table: the command, the file or the kind. */
  readonly group: string
  /** How many of the part's units this outcome counts for. */
  readonly count: number
  /** The errors, one line each. */
  readonly wrong: readonly string[]
}

type Report = (name: string, outcome: Outcome) => void

export interface Part {
  /** The heading of its table. */
  readonly title: string
  /** The unit of the counts: cells, kills or inputs. */
  readonly unit: string
  readonly names: readonly string[]
  /** The few cells that `npm test` runs. */
  readonly sample: readonly string[]
  /** What cannot be tried on this machine, with the reason, one line each. */
  readonly leftOut: readonly string[]
  /** Runs the cells with these names and reports each when it ends. All random choices follow from `seed`. */
  run(names: ReadonlySet<string>, report: Report, seed: number): Promise<void>
}

export interface Cell<Bench> {
  readonly name: string
  readonly group: string
  readonly isSample?: boolean
  /**
   * Returns the errors, with the number of units if it is not one. Resources passed to `own` are closed when the cell has ended,
   * the last one first.
   */
  run(bench: Bench, seed: number, own: Own): Promise<readonly string[] | Omit<Outcome, 'group'>>
}

/** Registers a resource to be closed, and returns it. */
export type Own = <T extends Closed>(thing: T) => T
type Closed = {close(): unknown} | {stop(): unknown} | {remove(): unknown}

/** Runs `work`, then closes what it owns, the last one first. */
export async function owning<T>(work: (own: Own) => Promise<T>): Promise<T> {
  const all: Closed[] = []
  const own: Own = thing => {
    all.push(thing)
    return thing
  }
  try {
    return await work(own)
  } finally {
    for (const thing of all.reverse())
      if ('close' in thing) await thing.close()
      else await ('stop' in thing ? thing.stop() : thing.remove())
  }
}

export interface PartOptions<Bench> {
  readonly title: string
  readonly unit?: string
  readonly cells: readonly Cell<Bench>[]
  /** Opens what the cells share. Each group opens its own, because a sandbox with thousands of reservations has long lists. */
  readonly open?: () => Promise<Bench & {close(): Promise<unknown>}>
  /** How many cells run at a time (default 2). */
  readonly atOnce?: number
  readonly leftOut?: readonly string[]
}

export function part<Bench>(options: PartOptions<Bench>): Part {
  const {title, unit = 'cells', cells, atOnce = 2, leftOut = []} = options
  const namesOf = (chosen: readonly Cell<Bench>[]) => chosen.map(({name}) => name)
  return {
    title,
    unit,
    leftOut,
    names: namesOf(cells),
    sample: namesOf(cells.filter(({isSample}) => isSample)),
    async run(names, report, seed) {
      const chosen = cells.filter(({name}) => names.has(name))
      // If only a few cells are selected, all groups share one bench.
      const groupOf = ({group}: Cell<Bench>) => (chosen.length < 100 ? '' : group)
      for (const each of new Set(chosen.map(groupOf))) {
        const waiting = chosen.filter(cell => groupOf(cell) === each)
        const bench = await options.open?.()
        const work = async () => {
          for (let cell = waiting.shift(); cell; cell = waiting.shift()) {
            const {name, group} = cell
            const found = await owning(own => cell.run(bench as Bench, seed, own)).catch(error => [
              `the cell itself failed: ${error.stack}`,
            ])
            const {count, wrong} = 'wrong' in found ? found : {count: 1, wrong: found}
            report(name, {group, count, wrong: firstOf(wrong)})
          }
        }
        await Promise.all(Array.from({length: atOnce}, work)).finally(() => bench?.close())
      }
    },
  }
}

const MOST_SHOWN = 20

function firstOf(wrong: readonly string[]): readonly string[] {
  const more = wrong.length - MOST_SHOWN
  return more > 0 ? [...wrong.slice(0, MOST_SHOWN), `and ${more} more`] : wrong
}

/** Selects the cells of each part whose name, after the title of the part, contains all of `texts`, ignoring case. */
export function choose(parts: readonly Part[], texts: readonly string[]): {part: Part; names: string[]}[] {
  const all = texts.map(text => text.toLowerCase())
  const chosen = parts.map(part => {
    const isChosen = (name: string) =>
      all.every(text => `${part.title}: ${name}`.toLowerCase().includes(text))
    return {part, names: part.names.filter(isChosen)}
  })
  return chosen.filter(({names}) => names.length > 0)
}
