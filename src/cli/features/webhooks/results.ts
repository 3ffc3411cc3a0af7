/** What `webhooks verify` prints: one result, a list of them, or one a line as they come. */
import type {CheckResult} from '../../../webhooks/diagnose/check.js'
import {ListAside} from '../../terminal/list-aside.js'
import {columnsOf, type Result} from '../../terminal/result.js'

/** One result, and where it came from when there may be several. */
export interface Verified {
  readonly result: CheckResult
  readonly input: string
}

const REQUEST_COLUMNS = ['input', 'valid', 'reason', 'event_id', 'type', 'timestamp'] as const
const PLAIN_COLUMNS = [...REQUEST_COLUMNS, 'age_seconds', 'secret'] as const
export const VERIFY_COLUMNS = [...PLAIN_COLUMNS, 'findings']

/** One result for one request, a list for several. `leftOut`: entries skipped because they are no webhooks. */
function verifyResult(results: readonly Verified[], isSeveral: boolean, leftOut = 0): Result<VerifiedItem> {
  const items = itemsOf(results)
  const codes = ({findings}: VerifiedItem) => findings.map(({code}) => code)
  const valid = results.filter(({result}) => result.valid).length
  const skipped = skippedOf(leftOut)
  const several = {valid, invalid: results.length - valid, ...skipped, results: items}
  const [first] = results
  return {
    document: isSeveral || !first ? several : {...first.result, ...skipped},
    items,
    columns: [...columnsOf<VerifiedItem>(PLAIN_COLUMNS), {name: 'findings', value: codes}],
    shown: isSeveral ? ['input', 'valid', 'reason', 'event_id', 'findings'] : VERIFY_COLUMNS.slice(1),
    id: item => item.event_id,
    single: !isSeveral,
  }
}

/** In the document only if something was skipped. */
function skippedOf(leftOut: number): {skipped?: number} {
  return leftOut === 0 ? {} : {skipped: leftOut}
}

type VerifiedItem = {readonly input: string} & CheckResult

function itemsOf(results: readonly Verified[]): VerifiedItem[] {
  return results.map(({result, input}) => ({input, ...result}))
}

/** How results are printed: see `printResults`. */
export type Printing = 'as they come' | 'in blocks' | 'one document' | 'all at the end'

/** What takes results to be printed. */
export interface ResultPrinter {
  /** `continues`: a part of the same list was printed before. */
  print(result: Result<VerifiedItem>, continues: boolean): Promise<void>
  /** Prints the one document that is too long to be held. */
  printPieces(pieces: Iterable<Uint8Array>): Promise<void>
}

/** Ours: as many results are held before a table of them is printed, or the rest of a document is put aside. */
const MOST_HELD = 1000

/**
 * Prints results, keeping a bounded number of them: lines are printed as they come, the one document of `--json` waits
 * in a file that has no name; a table needs the widths of its rows, so a long one comes in blocks. Returns how many were not
 * valid. All are held where a query asks for all. `leftOut` is read at the end.
 */
export async function printResults(
  results: AsyncIterable<readonly Verified[]>,
  inputs: number,
  printing: Printing,
  printer: ResultPrinter,
  leftOut: {readonly count: number},
): Promise<{read: number; invalid: number}> {
  const count = {read: 0, invalid: 0}
  const aside = printing === 'one document' ? new ListAside() : undefined
  let held: Verified[] = []
  let continues = false
  // The first waits: only with a second one there are several.
  let enough = aside || printing === 'in blocks' ? MOST_HELD : 2
  try {
    for await (const verified of results) {
      for (const one of verified) {
        count.read += 1
        if (!one.result.valid) count.invalid += 1
        held.push(one)
      }
      if (printing === 'all at the end' || held.length < enough) continue
      if (aside) aside.add(itemsOf(held))
      else await printer.print(verifyResult(held, true), continues)
      held = []
      continues = true
      if (printing !== 'in blocks') enough = 1
    }
    if (aside && continues) {
      aside.add(itemsOf(held))
      const {read, invalid} = count
      await printer.printPieces(aside.document({valid: read - invalid, invalid, ...skippedOf(leftOut.count)}))
    } else if (held.length > 0) {
      const isSeveral = continues || inputs > 1 || count.read > 1
      await printer.print(verifyResult(held, isSeveral, leftOut.count), continues)
    }
    return count
  } finally {
    aside?.close()
  }
}

/** The findings in words, for people. */
export function explain({result, input}: Verified): string[] {
  return result.findings.flatMap(({code, explanation, fix}) => [
    `${input}: ${code}: ${explanation}`,
    ...(fix === '' ? [] : [`  Fix: ${fix}`]),
  ])
}
