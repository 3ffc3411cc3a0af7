/** What `webhooks verify` prints: one result, a list of them, or one a line as they come. */
import type {CheckResult} from '../../webhooks/check.js'
import type {Result} from '../output/result.js'

/** One result, and where it came from when there may be several. */
export interface Verified {
  readonly result: CheckResult
  readonly input: string
}

export const VERIFY_COLUMNS = [
  'input',
  'valid',
  'reason',
  'event_id',
  'type',
  'timestamp',
  'age_seconds',
  'secret',
  'findings',
]

/** The result as printed: one for one request, a list for several. */
export function verifyResult(
  results: readonly Verified[],
  isSeveral: boolean,
): Result<Record<string, unknown>> {
  const items = results.map(({result, input}) => ({input, ...result}))
  const columns = VERIFY_COLUMNS.map(name => ({name, value: cellOf(name)}))
  const valid = results.filter(({result}) => result.valid).length
  const several = {valid, invalid: results.length - valid, results: items}
  const [first] = results
  return {
    document: isSeveral || !first ? several : first.result,
    items,
    columns,
    shown: isSeveral ? ['input', 'valid', 'reason', 'event_id', 'findings'] : VERIFY_COLUMNS.slice(1),
    id: item => item.event_id,
    single: !isSeveral,
  }
}

function cellOf(name: string): (item: Record<string, unknown>) => unknown {
  if (name !== 'findings') return item => item[name]
  return item => (item.findings as CheckResult['findings']).map(({code}) => code)
}

/** Results as they are printed: all at the end, or each as it comes for `ndjson`. Returns how many were not valid. */
export async function printResults(
  results: AsyncIterable<Verified>,
  inputs: number,
  asTheyCome: boolean,
  print: (result: Result<Record<string, unknown>>) => Promise<void>,
): Promise<{read: number; invalid: number}> {
  const held: Verified[] = []
  const count = {read: 0, invalid: 0}
  for await (const verified of results) {
    count.read += 1
    if (!verified.result.valid) count.invalid += 1
    held.push(verified)
    // The first waits: only a second one tells that there are several.
    if (asTheyCome && count.read > 1) await print(verifyResult(held.splice(0), true))
  }
  if (held.length > 0) await print(verifyResult(held, inputs > 1 || count.read > 1))
  return count
}

/** The findings in words, for people. */
export function explain({result, input}: Verified): string[] {
  return result.findings.flatMap(({code, explanation, fix}) => [
    `${input}: ${code}: ${explanation}`,
    ...(fix === '' ? [] : [`  Fix: ${fix}`]),
  ])
}
