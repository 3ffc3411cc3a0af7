/** What the proof counts, and the tables it prints: one for each part, and one of all parts at the end. */
import type {Outcome, Part} from './part.js'

export interface Group {
  readonly name: string
  readonly count: number
  /** How many outcomes had something wrong. */
  readonly wrong: number
}

export interface PartFigures {
  readonly title: string
  readonly unit: string
  readonly groups: readonly Group[]
  /** What else was counted, by its unit. */
  readonly more: ReadonlyMap<string, number>
  readonly seconds: number
}

/** Counts the outcomes of a part, by group. */
export function figuresOf({title, unit}: Part) {
  const groups = new Map<string, Group>()
  const others = new Map<string, number>()
  return {
    add({group: name, count = 1, more = {}, wrong}: Outcome): void {
      for (const [what, number] of Object.entries(more)) others.set(what, (others.get(what) ?? 0) + number)
      const before = groups.get(name) ?? {name, count: 0, wrong: 0}
      groups.set(name, {name, count: before.count + count, wrong: before.wrong + (wrong.length > 0 ? 1 : 0)})
    },
    after: (seconds: number): PartFigures => ({
      ...{title, unit, groups: [...groups.values()], more: others, seconds},
    }),
  }
}

/** The figures of one part: a line for each group, and one of all. */
export function partTable({title, unit, groups, seconds}: PartFigures): string {
  const lines = [...groups, {name: 'all', ...totalOf(groups)}].map(
    ({name, count, wrong}) =>
      `${name.replaceAll(':', ' ').padEnd(24)} ${String(count).padStart(6)} ${unit} ${String(wrong).padStart(5)} failed`,
  )
  return ['', title, ...lines, `${seconds.toFixed(0)} s`, ''].join('\n')
}

/** The figures of all parts as a table of Markdown, which is also easy to read as it stands. */
export function markdown(parts: readonly PartFigures[]): string {
  const rows = parts.map(({title, unit, groups, more, seconds}) => {
    const {count, wrong} = totalOf(groups)
    const counted = [[unit, count] as const, ...more].map(([what, n]) => `${n.toLocaleString('en')} ${what}`)
    return [title, counted.join(', '), String(wrong), `${(seconds / 60).toFixed(1)} min`]
  })
  const all = [['Proof', 'Run', 'Failed', 'Took'], ...rows]
  const widths = [0, 1, 2, 3].map(column => Math.max(...all.map(row => (row[column] as string).length), 3))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, n) => text.padEnd(widths[n] as number)).join(' | ')} |`
  const [heading, ...others] = all.map(line)
  return [heading, line(widths.map(width => '-'.repeat(width))), ...others, ''].join('\n')
}

function totalOf(groups: readonly Group[]): {count: number; wrong: number} {
  const sum = (of: (group: Group) => number) => groups.reduce((total, group) => total + of(group), 0)
  return {count: sum(({count}) => count), wrong: sum(({wrong}) => wrong)}
}
