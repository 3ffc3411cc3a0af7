/** Prints the results of `webhooks verify` as one result, a list, or lines. */
import {isoTime} from '../../../contract/dates.js'
import type {CheckResult} from '../../../webhooks/diagnose/check.js'
import {ListAside} from '../../terminal/list-aside.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {writePieces} from '../../terminal/streams.js'

const REASONS: Readonly<Record<CheckResult['reason'], string>> = {
  ok: 'valid',
  missing_header: 'there is no signature header',
  malformed_header: 'the signature header is malformed',
  signature_mismatch: 'the signature does not match',
  timestamp_outside_tolerance: 'the signature is right, but its time is outside the tolerance',
  event_id_mismatch: 'the event id is malformed, or the header has another',
  not_checked: 'it is not a whole request',
}

export type Verified = {readonly input: string; readonly reply?: string} & CheckResult

const PLAIN_COLUMNS = [
  'input',
  'valid',
  'reason',
  'event_id',
  'type',
  'timestamp',
  'age_seconds',
  'secret',
] as const
export const VERIFY_COLUMNS = [...PLAIN_COLUMNS, 'findings']

/** Returns a single result for one request, or a list for several. `leftOut` counts entries that are not webhooks. */
export function verifyResult(items: readonly Verified[], isSeveral: boolean, leftOut = 0): Result<Verified> {
  const codes = ({findings}: Verified) => findings.map(({code}) => code)
  const columns = [...columnsOf<Verified>(PLAIN_COLUMNS), {name: 'findings', value: codes}]
  const id = (item: Verified) => item.event_id
  const skipped = skippedOf(leftOut)
  const replies = items.flatMap(({input, reply}) =>
    reply === undefined ? [] : [isSeveral ? `${input}:\n\n${reply}` : reply],
  )
  const text = replies.length === 0 ? {} : {text: replies.join('\n')}
  if (isSeveral) {
    const valid = items.filter(item => item.valid).length
    const notChecked = items.filter(item => item.checked === false).length
    const counts = {valid, invalid: items.length - valid - notChecked, ...notCheckedOf(notChecked)}
    const document = {...counts, ...skipped, results: items}
    return {
      document,
      items,
      columns,
      id,
      shown: ['input', 'valid', 'reason', 'event_id', 'findings'],
      ...text,
    }
  }
  const {input: _, ...only} = items[0] as Verified
  const {event_id, type, timestamp, age_seconds: age, secret} = only
  const signed =
    timestamp === null || age === null
      ? undefined
      : `${isoTime(timestamp)} (${Math.abs(age)} s ${age < 0 ? 'ahead' : 'ago'})`
  return {
    document: {...only, ...skipped},
    items,
    columns,
    id,
    shown: VERIFY_COLUMNS.slice(1),
    single: true,
    lead: verdictLines(only),
    facts: {event_id, type, signed, secret},
    ...text,
  }
}

function verdictLines({valid, reason, checked, findings: [first]}: CheckResult): NonNullable<Result['lead']> {
  // The reason is unknown if part of the capture is missing.
  const isUnread = first?.code === 'capture_unreadable' || checked === false
  const unread = isUnread ? first?.explanation : undefined
  const words = unread?.replace(/^./, letter => letter.toLowerCase()).replace(/\.$/, '') ?? REASONS[reason]
  const text = valid ? 'Valid' : `${checked === false ? 'Not checked' : 'Not valid'}: ${words}`
  return async (paint, columns) => {
    const isShort = text.length <= columns
    const lines = isShort ? [text] : (await import('../../terminal/text.js')).hang(text, columns, 2)
    return lines.map(line => paint(valid ? 'good' : 'bad', line))
  }
}

/** Returns `{skipped}` for the document, or an empty object if no entry was skipped. */
function skippedOf(leftOut: number): {skipped?: number} {
  return leftOut === 0 ? {} : {skipped: leftOut}
}

/** Returns `{not_checked}` for the document, or an empty object if every request was checked. */
function notCheckedOf(count: number): {not_checked?: number} {
  return count === 0 ? {} : {not_checked: count}
}

export type Printing = 'as they come' | 'in blocks' | 'one document' | 'all at the end'

export interface ResultPrinter {
  /** Prints results; `continues` means that part of the same list was printed before. */
  print(result: Result<Verified>, continues: boolean): Promise<void>
  /** Prints a part of the list that is text already. */
  printText(text: Uint8Array): Promise<void>
  /** Prints why a request is invalid, if the printed result does not say it. */
  readonly tell?: ((line: string) => void) | undefined
}

export interface Counts {
  read: number
  invalid: number
  notChecked: number
}

/** Results of a part of a capture, rendered by a thread. */
export interface RenderedResults {
  /** The results as they continue a list, in the format that is printed. */
  readonly text: Uint8Array
  /** Why requests are invalid, if `text` does not say it. */
  readonly explanations: readonly string[]
  readonly count: Counts
}

export function countResults(results: readonly Verified[]): Counts {
  const notChecked = results.filter(({checked}) => checked === false).length
  const valid = results.filter(result => result.valid).length
  return {read: results.length, invalid: results.length - valid - notChecked, notChecked}
}

function addCounts(sum: Counts, {read, invalid, notChecked}: Counts): void {
  sum.read += read
  sum.invalid += invalid
  sum.notChecked += notChecked
}

/** Returns why requests are invalid, and what to change, as lines for stderr. */
export function explanationsOf(results: readonly Verified[]): string[] {
  return results.flatMap(({input, findings}) =>
    findings.flatMap(({code, explanation, fix}) => [
      `${input}: ${code}: ${explanation}`,
      ...(fix === '' ? [] : [`  Fix: ${fix}`]),
    ]),
  )
}

/** How many results are held in memory before they are printed as a table or written to a temporary file. */
const MOST_HELD = 1000

/**
 * Prints and counts results, with few of them in memory: a long document is first written to a file, and a long table is printed
 * in blocks. Rendered results must come behind at least two others, and fit `printing`.
 */
export async function printResults(
  results: AsyncIterable<readonly Verified[] | RenderedResults>,
  inputs: number,
  printing: Printing,
  printer: ResultPrinter,
  leftOut: {readonly count: number},
): Promise<Counts> {
  const count = {read: 0, invalid: 0, notChecked: 0}
  const aside = printing === 'one document' ? new ListAside() : undefined
  let held: Verified[] = []
  let continues = false
  const show = async (result: Result<Verified>) => {
    await printer.print(result, continues)
    if (printer.tell) for (const line of explanationsOf(held)) printer.tell(line)
  }
  const showHeld = async () => {
    if (aside) aside.add(held)
    else await show(verifyResult(held, true))
    held = []
    continues = true
  }
  let enough = MOST_HELD
  // The first result waits for a second one, because a single result is printed in another form.
  if (printing === 'as they come') enough = 2
  if (printing === 'all at the end') enough = Number.POSITIVE_INFINITY
  try {
    for await (const group of results) {
      if ('text' in group) {
        if (held.length > 0) await showHeld()
        addCounts(count, group.count)
        if (aside) aside.addText(group.text)
        else await printer.printText(group.text)
        for (const line of group.explanations) printer.tell?.(line)
        continue
      }
      addCounts(count, countResults(group))
      // A group may be too long for the arguments of a call.
      for (const result of group) held.push(result)
      if (held.length < enough) continue
      await showHeld()
      if (printing === 'as they come') enough = 1
    }
    if (aside && continues) {
      aside.add(held)
      const {read, invalid, notChecked} = count
      const valid = read - invalid - notChecked
      await writePieces(
        aside.document({valid, invalid, ...notCheckedOf(notChecked), ...skippedOf(leftOut.count)}),
      )
    } else if (held.length > 0) {
      const isSeveral = continues || inputs > 1 || count.read > 1
      await show(verifyResult(held, isSeveral, leftOut.count))
    }
    return count
  } finally {
    aside?.close()
  }
}
