/**
 * Prints the differences between books and service: the JSON document, the rows of the table, and advice for each
 * difference.
 */

import {isoTime} from '../../../contract/dates.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import {SANDBOX_RESERVATION_REF_PREFIX} from '../../../contract/identifiers.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {counted, moneyText} from '../../terminal/dates-and-amounts.js'
import {jsonText} from '../../terminal/json-text.js'
import type {OutputFlags} from '../../terminal/output.js'
import type {Result} from '../../terminal/result.js'
import {writePieces} from '../../terminal/streams.js'
import type {Entry, Row} from './books.js'
import type {Comparison, Difference, DifferenceKind, Uncompared} from './comparison.js'
import {isOpenEnded} from './window.js'

export const RECONCILE_COLUMNS = [
  'kind',
  'client_reference_id',
  'reservation_ref',
  'here',
  'there',
  'advice',
] as const

/** Number of differences that are formatted and printed together. */
const PRINTED_AT_ONCE = 1000

/**
 * Prints the differences in the order in which they were found. A long list is printed in parts, because the text of
 * 100,000 differences takes more memory than the comparison itself.
 */
export async function printDifferences(
  command: BaseCommand,
  comparison: Comparison,
  flags: OutputFlags,
): Promise<void> {
  const {differences} = comparison
  const isWhole = flags.query !== undefined || differences.length <= PRINTED_AT_ONCE
  if (isWhole) return command.print(resultOf(comparison, differences))
  if (flags.json || flags.format === 'json') return writePieces(piecesOf(comparison))
  for (let from = 0; from < differences.length; from += PRINTED_AT_ONCE)
    await command.print(resultOf(comparison, differences.slice(from, from + PRINTED_AT_ONCE)), from > 0)
}

/** Yields the JSON document in parts, with the same layout as a short document. */
function* piecesOf({checked, agreed, differences, books}: Comparison): Generator<Buffer> {
  let text = `{\n  "checked": ${checked},\n  "agreed": ${agreed},\n  "differences": [`
  for (const [index, difference] of differences.entries()) {
    const lines = jsonText(documentOf(difference, books.isJournal), 2).replace(/^/gm, '    ')
    text += `${index === 0 ? '' : ','}\n${lines}`
    if (index % PRINTED_AT_ONCE === 0) {
      yield Buffer.from(text)
      text = ''
    }
  }
  yield Buffer.from(`${text}\n  ]\n}\n`)
}

function resultOf(
  {checked, agreed, books}: Comparison,
  differences: readonly Difference[],
): Result<ReturnType<typeof documentOf>> {
  const documents = differences.map(difference => documentOf(difference, books.isJournal))
  return {
    document: {checked, agreed, differences: documents},
    items: documents,
    lines: documents,
    columns: RECONCILE_COLUMNS.map(name => ({
      name,
      value: document =>
        name === 'here' || name === 'there' ? sideText(document.kind, document[name]) : document[name],
      ...(name === 'advice' && {wraps: true}),
    })),
    id: document => document.reservation_ref ?? document.client_reference_id,
  }
}

/** What the books, or the service, say about one reservation. */
interface Side {
  readonly client_reference_id: string | null
  readonly reservation_ref: string | null
  readonly status: string | null
  /** Decimal string. */
  readonly price: string | null
  readonly currency: string | null
  /** Amount charged to the account, if it was charged in another currency than the price. */
  readonly charged?: NonNullable<Row['charged']>
  readonly created_at: string | null
  /** Line of this entry in the ledger; `also_on_line` is another line for the same reservation. */
  readonly line?: number
  readonly also_on_line?: string | number
  /** Reference of the reservation that this one doubles. */
  readonly same_as?: string | number
}

function documentOf(difference: Difference, isJournal: boolean) {
  const {kind, entry, row, other} = difference
  const here = entry ? hereOf(entry, row === undefined ? other : undefined) : null
  const there = row ? thereOf(row, other) : null
  return {
    kind,
    client_reference_id: there?.client_reference_id ?? here?.client_reference_id ?? null,
    reservation_ref: there?.reservation_ref ?? here?.reservation_ref ?? null,
    here,
    there,
    advice: adviceFor(difference, isJournal),
  }
}

function hereOf(entry: Entry, other: string | number | undefined): Side {
  const {reference, reservationRef, found, status, amount, currency, createdAt, line} = entry
  // In a ledger, one column may hold either reference.
  const isReservation =
    line !== undefined && (reference === found || reference.startsWith(SANDBOX_RESERVATION_REF_PREFIX))
  return {
    client_reference_id: isReservation ? null : reference,
    reservation_ref: isReservation ? reference : (reservationRef ?? found ?? null),
    status,
    price: amount,
    currency,
    created_at: createdAt === undefined ? null : isoTime(createdAt),
    ...(line === undefined ? {} : {line}),
    ...(other === undefined ? {} : {also_on_line: other}),
  }
}

function thereOf(row: Row, other: string | number | undefined): Side {
  return {
    client_reference_id: row.reference,
    reservation_ref: row.reservationRef,
    status: row.status,
    price: row.amount,
    currency: row.currency,
    ...(row.charged === null ? {} : {charged: row.charged}),
    created_at: row.createdAt,
    ...(other === undefined ? {} : {same_as: other}),
  }
}

/**
 * Returns what one side says about the reservation as text, such as `line 7, confirmed, 403.20 EUR`; null if the
 * reservation is not there. Leaves out what has nothing to do with this kind of difference.
 */
function sideText(kind: DifferenceKind, side: Side | null): string | null {
  if (side === null) return null
  const isOfMoney = kind === 'price' || kind === 'currency'
  const texts = [
    side.line === undefined ? null : `line ${side.line}`,
    isOfMoney ? null : side.status,
    kind === 'status' || side.price === null
      ? null
      : moneyText({amount: side.price, currency: side.currency}),
    kind === 'status' || side.charged === undefined ? null : `charged ${moneyText(side.charged)}`,
    side.same_as === undefined ? null : `same as ${side.same_as}`,
    side.also_on_line === undefined ? null : `also on line ${side.also_on_line}`,
  ]
  return texts.filter(Boolean).join(', ')
}

function adviceFor({kind, entry, row, other}: Difference, isJournal: boolean): string {
  const name = shellWord(row?.reservationRef ?? entry?.reservationRef ?? entry?.reference ?? '')
  const show = `bookctl reservations show ${name}`
  const explain = `bookctl explain ${name}`
  switch (kind) {
    case 'missing_there':
      return isJournal
        ? `ask the operator, and do not book it again before: ${explain}`
        : 'the service has none under this reference: check the ledger, then ask the operator'
    case 'missing_here':
      return isJournal
        ? `made by another machine or program? ${show}; machines that share BOOKCTL_STORE share a journal`
        : `enter it in the ledger, or look for it under another reference: ${show}`
    case 'twice':
      if (row === undefined) return 'one of the two lines is too many, unless both are parts of one price'
      return `if only one was ordered, cancel the other: bookctl reservations cancel ${name}; the first is ${sanitizeLine(String(other), 64)}`
    case 'price':
    case 'currency':
      return `settle with the operator which is right: ${explain}`
    case 'status':
      return isJournal
        ? `see what happened: ${explain}`
        : `correct the ledger, or see what happened: ${explain}`
    case 'unresolved':
      if (entry?.standing === 'given_up') return `it was given up here, and exists: ${show}`
      return `find out: bookctl reserve --resume ${shellWord(entry?.reference ?? '')}; all of them: --resolve; if that cannot tell, ask the operator, then: bookctl journal forget ${shellWord(entry?.reference ?? '')}`
  }
}

/** Returns the summary, such as `4 reservations compared: 3 agree, 1 difference`. */
export function summaryOf({checked, agreed, differences}: Comparison): string {
  const found =
    differences.length === 0 ? 'all agree' : `${agreed} agree, ${counted(differences.length, 'difference')}`
  return `${counted(checked, 'reservation')} compared${checked === 0 ? '' : `: ${found}`}`
}

/** Returns a warning for each kind of value or entry that could not be compared. */
export function uncomparedTexts({uncompared, books, window}: Comparison): string[] {
  const book = books.isJournal ? 'journal' : 'ledger'
  const time = isOpenEnded(window) ? '' : ', and without --since and --until the whole list is compared'
  const texts: Readonly<Record<keyof Uncompared, string>> = {
    price: 'the service states no price, so it was not compared',
    status: 'the service states no status, so it was not compared',
    entries: `not in the list, and could not be looked up${time}`,
    references: `the service states no client reference, so whether the ${book} has it is not known`,
    times: 'the service does not say when it was made, so it was not compared',
  }
  return Object.entries(uncompared).flatMap(([name, count]) =>
    count === 0
      ? []
      : [
          `Warning: ${name === 'entries' ? counted(count, 'entry', 'entries') : counted(count, 'reservation')}: ${texts[name as keyof Uncompared]}`,
        ],
  )
}
