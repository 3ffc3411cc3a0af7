/** The output of `webhooks verify`: one result, a list, or a line for each result as it comes. */
import {isoTime} from '../../../contract/dates.js'
import type {CheckResult} from '../../../webhooks/diagnose/check.js'
import {ListAside} from '../../terminal/list-aside.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {writePieces} from '../../terminal/streams.js'

/** The words for each reason, after `Not valid:`. */
const REASONS: Readonly<Record<CheckResult['reason'], string>> = {
  ok: 'valid',
  missing_header: 'there is no signature header',
  malformed_header: 'the signature header is malformed',
  signature_mismatch: 'the signature does not match',
  timestamp_outside_tolerance: 'the signature is right, but its time is outside the tolerance',
  event_id_mismatch: 'the event id is malformed, or the header has another',
}

export type Verified = {readonly input: string} & CheckResult

const REQUEST_COLUMNS = ['input', 'valid', 'reason', 'event_id', 'type', 'timestamp'] as const
const PLAIN_COLUMNS = [...REQUEST_COLUMNS, 'age_seconds', 'secret'] as const
export const VERIFY_COLUMNS = [...PLAIN_COLUMNS, 'findings']

/** One result for one request, a list for several. `leftOut`: entries skipped because they are no webhooks. */
function verifyResult(items: readonly Verified[], isSeveral: boolean, leftOut = 0): Result<Verified> {
  const codes = ({findings}: Verified) => findings.map(({code}) => code)
  const valid = items.filter(item => item.valid).length
  const skipped = skippedOf(leftOut)
  const {input: _, ...single} = items[0] as Verified
  return {
    document: isSeveral
      ? {valid, invalid: items.length - valid, ...skipped, results: items}
      : {...single, ...skipped},
    items,
    columns: [...columnsOf<Verified>(PLAIN_COLUMNS), {name: 'findings', value: codes}],
    shown: isSeveral ? ['input', 'valid', 'reason', 'event_id', 'findings'] : VERIFY_COLUMNS.slice(1),
    id: item => item.event_id,
    single: !isSeveral,
    ...(isSeveral ? {} : {lead: verdictLines(single), facts: factsOf(single)}),
  }
}

function verdictLines({valid, reason, findings: [first]}: CheckResult): NonNullable<Result['lead']> {
  // The reason is not known if part of the capture is missing.
  const unread = first?.code === 'capture_unreadable' ? first.explanation : undefined
  const words = unread?.replace(/^N/, 'n').replace(/\.$/, '') ?? REASONS[reason]
  const text = valid ? 'Valid' : `Not valid: ${words}`
  return async (paint, columns) => {
    const isShort = text.length <= columns
    const lines = isShort ? [text] : (await import('../../terminal/text.js')).hang(text, columns, 2)
    return lines.map(line => paint(valid ? 'good' : 'bad', line))
  }
}

function factsOf({event_id, type, timestamp, age_seconds: age, secret}: CheckResult) {
  if (timestamp === null || age === null) return {event_id, type, secret}
  const signed = `${isoTime(timestamp)} (${Math.abs(age)} s ${age < 0 ? 'ahead' : 'ago'})`
  return {event_id, type, signed, secret}
}

/** A member of the document, only if something was skipped. */
function skippedOf(leftOut: number): {skipped?: number} {
  return leftOut === 0 ? {} : {skipped: leftOut}
}

export type Printing = 'as they come' | 'in blocks' | 'one document' | 'all at the end'

export interface ResultPrinter {
  /** `continues`: a part of the same list was printed before. */
  print(result: Result<Verified>, continues: boolean): Promise<void>
  /** Prints why one is not valid, where the result does not say it. */
  readonly tell?: ((line: string) => void) | undefined
}

/** How many results are held before they are printed as a table, or written to a temporary file as part of a document. */
const MOST_HELD = 1000

/** Prints and counts results, holding few: a long document waits in a file, and a long table is printed in blocks. */
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
  const show = async (result: Result<Verified>) => {
    await printer.print(result, continues)
    if (printer.tell) for (const line of held.flatMap(explain)) printer.tell(line)
  }
  // The first waits for a second: one alone is printed in another form.
  let enough = aside || printing === 'in blocks' ? MOST_HELD : 2
  try {
    for await (const verified of results) {
      for (const one of verified) {
        count.read += 1
        if (!one.valid) count.invalid += 1
        held.push(one)
      }
      if (printing === 'all at the end' || held.length < enough) continue
      if (aside) aside.add(held)
      else await show(verifyResult(held, true))
      held = []
      continues = true
      if (printing !== 'in blocks') enough = 1
    }
    if (aside && continues) {
      aside.add(held)
      const {read, invalid} = count
      await writePieces(aside.document({valid: read - invalid, invalid, ...skippedOf(leftOut.count)}))
    } else if (held.length > 0) {
      const isSeveral = continues || inputs > 1 || count.read > 1
      await show(verifyResult(held, isSeveral, leftOut.count))
    }
    return count
  } finally {
    aside?.close()
  }
}

function explain({input, findings}: Verified): string[] {
  return findings.flatMap(({code, explanation, fix}) => [
    `${input}: ${code}: ${explanation}`,
    ...(fix === '' ? [] : [`  Fix: ${fix}`]),
  ])
}
