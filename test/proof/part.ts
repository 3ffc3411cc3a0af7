/** A part of the proof: cells with names, each of which finds what is wrong; and how they are run. */

export interface Outcome {
  /** The line of the table it counts in: the command, the file, the kind. */
  readonly group: string
  /** How many of the part's units it counts (default 1). */
  readonly count?: number
  /** What else was counted, by its unit. */
  readonly more?: Readonly<Record<string, number>>
  /** What is wrong, one line each. */
  readonly wrong: readonly string[]
}

type Tell = (name: string, outcome: Outcome) => void

export interface Part {
  /** The heading of its table. */
  readonly title: string
  /** What is counted: cells, kills, inputs. */
  readonly unit: string
  /** The names of its cells; --only chooses among them. */
  readonly names: readonly string[]
  /** The few of them that `npm test` runs. */
  readonly sample: readonly string[]
  /** What this machine cannot try, and why, one line each. */
  readonly leftOut: readonly string[]
  /** Runs the cells of these names and calls `tell` as each ends. All that is random follows from `seed`. */
  run(names: ReadonlySet<string>, tell: Tell, seed: number): Promise<void>
}

export interface Cell<Bench> {
  readonly name: string
  readonly group: string
  readonly isSample?: boolean
  run(bench: Bench, seed: number): Promise<readonly string[] | Omit<Outcome, 'group'>>
}

export interface PartOptions<Bench> {
  readonly title: string
  readonly unit?: string
  readonly cells: readonly Cell<Bench>[]
  /** Opens what the cells share. Each group has its own: a sandbox with thousands of reservations has long lists. */
  readonly open: () => Promise<Bench & {close(): Promise<void>}>
  /** How many cells run at a time (default 2). */
  readonly atOnce?: number
  readonly leftOut?: readonly string[]
  /** What is wrong with what the cells shared, after all of them. */
  readonly checkBench?: (bench: Bench) => readonly string[]
}

export function part<Bench>(options: PartOptions<Bench>): Part {
  const {title, unit = 'cells', cells, atOnce = 2, leftOut = [], checkBench = () => []} = options
  const namesOf = (chosen: readonly Cell<Bench>[]) => chosen.map(({name}) => name)
  const runCell = async (bench: Bench, {name, group, run}: Cell<Bench>, tell: Tell, seed: number) => {
    const came = await run(bench, seed).catch(error => [`the cell itself failed: ${(error as Error).stack}`])
    tell(name, 'wrong' in came ? {...came, group} : {group, wrong: came})
  }
  return {
    ...{title, unit, leftOut, names: namesOf(cells), sample: namesOf(cells.filter(({isSample}) => isSample))},
    async run(names, tell, seed) {
      const chosen = cells.filter(({name}) => names.has(name))
      // A few cells of many groups share one bench.
      const groups = chosen.length < 100 ? [''] : [...new Set(chosen.map(({group}) => group))]
      for (const each of chosen.length === 0 ? [] : groups) {
        const group = each === '' ? chosen : chosen.filter(cell => cell.group === each)
        const bench = await options.open()
        try {
          await forEach(group, atOnce, cell => runCell(bench, cell, tell, seed))
          const wrong = checkBench(bench)
          if (wrong.length > 0) tell('what all cells share', {group: 'all cells', count: 0, wrong})
        } finally {
          await bench.close()
        }
      }
    },
  }
}

/** Does `work` for each of `items`, `atOnce` at a time. */
async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({length: atOnce}, worker))
}
