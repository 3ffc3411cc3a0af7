/** Cells that are no row of the matrix: commands that ask the service nothing, crashes, the browser, and secrets typed at a terminal. */
import type {LeakBench, LeakResult} from './leak-cell.js'
import {CRASH_CELLS} from './leak-crash.js'
import {LOCAL_CELLS} from './leak-local.js'
import {PROMPT_CELLS} from './leak-prompts.js'
import {ALL} from './leak-switches.js'

export interface SpecialCell {
  readonly name: string
  /** The line of the table it is counted in. */
  readonly group: string
  run(bench: LeakBench): Promise<LeakResult>
}

export const SPECIAL_CELLS: readonly SpecialCell[] = [...LOCAL_CELLS, ...CRASH_CELLS, ...PROMPT_CELLS]

/** Every local command with all switches, and some of the others. */
export const SHORT_SPECIAL_CELLS: readonly SpecialCell[] = [
  ...LOCAL_CELLS.filter(({name}) => name.endsWith(` × ${ALL.name}`)),
  ...CRASH_CELLS.filter(({name}) => /^(login|voucher download \(link\)|reserve.*browser) × /.test(name)),
  ...PROMPT_CELLS.filter(({name}) => /× (right|Ctrl-C)$/.test(name)),
]

export function specialName({name}: SpecialCell): string {
  return `leak: ${name}`
}

export function runSpecialCell(bench: LeakBench, cell: SpecialCell): Promise<LeakResult> {
  return cell.run(bench)
}
