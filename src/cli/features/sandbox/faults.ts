/** Faults of the local sandbox, as the commands `sandbox fault …` take and print them. */
import type {Failure} from '../../../contract/failure.js'
import {usage} from '../../../contract/failure.js'
import {columnsOf, type Result} from '../../terminal/result.js'

export const KIND_MEANINGS = {
  status: 'answers --status',
  latency: 'answers after --latency-ms',
  'drop-before': 'cuts the connection before anything is done',
  'commit-then-drop': 'does the work and cuts the connection',
  'commit-then-hang': 'does the work and never answers',
  truncate: 'cuts the answer in the middle',
  html: 'answers a page in place of JSON',
}

type Row = Record<string, unknown>

export const FAULT_COLUMNS = [
  ...['kind', 'operation', 'times', 'left', 'status', 'retry_after', 'code', 'latency_ms'],
]

/** `data` is the control's answer. */
export function faultList(data: unknown): Result<Row> {
  const faults = data as Row[]
  return {
    document: {faults},
    items: faults,
    columns: columnsOf<Row>(FAULT_COLUMNS),
    whenEmpty: 'No active faults.',
  }
}

/** The fields that each kind has beside its operation and its times; `!` marks those it cannot do without. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  status: ['status!', 'retry_after', 'code'],
  html: ['status'],
  latency: ['latency_ms!'],
}

/** Throws usage for a field that `kind` needs and does not have, or has and does not use. */
export function checkFaultFields(kind: string, given: Row): void {
  const known = FIELDS[kind] ?? []
  const names = Object.keys(given)
  const missing = names.find(name => given[name] === undefined && known.includes(`${name}!`))
  if (missing) throw wrongField(missing, `is required for the kind ${kind}`)
  const surplus = names.find(
    name => given[name] !== undefined && ![name, `${name}!`].some(each => known.includes(each)),
  )
  if (!surplus) return
  const takers = Object.keys(FIELDS).filter(each =>
    [surplus, `${surplus}!`].some(name => FIELDS[each]?.includes(name)),
  )
  throw wrongField(surplus, `is for the kind ${takers.join(' or ')}, not for ${kind}`)
}

function wrongField(name: string, problem: string): Failure {
  return usage('invalid_flag', `--${name.replace('_', '-')} ${problem}`)
}
