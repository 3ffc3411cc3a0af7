/** The rows as a Markdown table, and as one JSON document. */
import {cpus} from 'node:os'
import process from 'node:process'
import {type Figure, isReached, type Row} from './figures.js'

const METHOD =
  'Medians, ± half the spread of the middle half; ours and the reference in turn, the first of each not counted. ' +
  'Both run in the same environment of PATH, HOME and TMPDIR: no NODE_OPTIONS, NODE_EXTRA_CA_CERTS, compile cache or proxy.'

export interface Report {
  readonly date: string
  readonly cpu: string
  readonly node: string
  readonly quick: boolean
  readonly rows: readonly (Row & {readonly case: string})[]
}

export function report(rows: Report['rows'], quick: boolean): Report {
  const cores = cpus()
  const cpu = `${cores.length} × ${cores[0]?.model.trim() || process.arch}`
  return {date: new Date().toISOString().slice(0, 10), cpu, node: process.version, quick, rows}
}

/** As Markdown, ending in a newline. */
export function markdown({date, cpu, node, quick, rows}: Report): string {
  const head = `${date}, Node ${node}, ${cpu}${quick ? '; quick: small sizes, few runs' : ''}. ${METHOD}`
  const lines = [
    ['Measured', 'bookctl', 'Against', 'Reference', 'Ratio', 'Reach', '', 'Remarks'],
    ['---', '---:', '---', '---:', '---:', '---:', '---', '---'],
    ...rows.map(cellsOf),
  ]
  return `${head}\n\n${lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')}\n`
}

function cellsOf(row: Row): string[] {
  const {measured, against, ours, reference, value, reach, remark} = row
  const memory = ours.peakBytes === undefined ? [] : [`${Math.round(ours.peakBytes / 1e6)} MB at most`]
  const reached = isReached(row)
  return [
    measured,
    textOf(ours),
    against,
    reference ? textOf(reference) : '',
    reference && value !== undefined ? value.toFixed(2) : '',
    reach ? ('atMost' in reach ? `≤ ${reach.atMost}` : `≥ ${reach.atLeast}`) : '',
    reached === undefined ? '' : reached ? '✓' : '✗',
    [...memory, ...(remark ? [remark] : [])].join('; '),
  ]
}

function textOf({median, spread, unit}: Figure): string {
  const digits = median >= 100 ? 0 : median >= 10 ? 1 : 2
  const scatter = spread === undefined ? '' : ` ± ${Math.round(spread * 50)} %`
  return `${median.toFixed(digits)} ${unit}`.trimEnd() + scatter
}
