/** One part of the proof: cells with names, run one by one, each of which tells what is wrong. */
export interface Part {
  /** The heading of its table. */
  readonly title: string
  /** What is counted: cells, kills, mutants. */
  readonly unit: string
  /** The names of its cells, each of one cell alone; --only chooses among them. */
  names(): readonly string[]
  /** What this machine cannot try, which is no cell here, and why; one line each. */
  leftOut?(): readonly string[]
  /** Runs the cells of these names and tells of each as it ends. */
  run(names: ReadonlySet<string>, tell: Tell, options: RunOptions): Promise<void>
}

export interface RunOptions {
  /** Whatever is random follows from it. */
  readonly seed: number
}

export interface Outcome {
  /** The line of the table it is counted in: the command, the file, the kind. */
  readonly group: string
  /** How many of the part's units it stands for; 1 unless told. */
  readonly count?: number
  /** What else was counted, by its unit; added up and shown beside the count. */
  readonly more?: Readonly<Record<string, number>>
  /** What is wrong, one line each; empty when all is as it should be. */
  readonly wrong: readonly string[]
}

export type Tell = (name: string, outcome: Outcome) => void
