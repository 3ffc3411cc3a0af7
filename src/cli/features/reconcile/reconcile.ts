/**
 * `reservations reconcile`, from the books to the differences: reads the books, resolves unknown outcomes, compares
 * page by page, looks up, prints.
 */
import {setFlagsFromString} from 'node:v8'
import {eachReservation} from '../../../api/operations/reservations.js'
import type {Connection} from '../../session/connect.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {EXITS} from '../../shell/exit-codes.js'
import type {OutputFlags} from '../../terminal/output.js'
import {inParallel} from '../batch/parallel.js'
import {lookingUp, requireJournal} from '../reserve/plan.js'
import {type Books, type Entry, isLiveRow, type Row} from './books.js'
import {Comparison, oldestFirst} from './comparison.js'
import {readJournalBooks} from './journal-books.js'
import {type LedgerColumns, readLedger} from './ledger.js'
import {Lookups} from './lookups.js'
import {resolveOpen} from './resolve.js'
import {printDifferences, summaryOf, uncomparedTexts} from './result.js'
import {mergeRows, readRow} from './rows.js'
import {isLive} from './standing.js'
import {checkWindow, isOpenEnded, isWithinAsWritten, queryOf, type Window} from './window.js'

export interface ReconcileFlags extends Window, OutputFlags {
  readonly ledger: string | undefined
  readonly 'ledger-columns': LedgerColumns | undefined
  readonly resolve: boolean
}

/** How many lookups are made at the same time. */
const LOOKUPS_AT_ONCE = 4

/**
 * Compares the books with the service, prints the differences, and sets the exit code. Throws a Failure if the service
 * or the books cannot be read.
 */
export async function reconcile(command: BaseCommand, flags: ReconcileFlags): Promise<void> {
  // Otherwise V8 lets the heap grow to several times its used size: 320 MB for 100,000 reservations, and 150 MB with
  // these flags.
  setFlagsFromString('--optimize-for-size')
  setFlagsFromString('--semi-space-growth-factor=1')
  checkWindow(flags)
  const ledger =
    flags.ledger === undefined ? undefined : await readLedger(flags.ledger, flags['ledger-columns'])
  const connection = await command.connect()
  if (ledger === undefined) requireJournal(connection.state, 'reservations reconcile')
  if (flags.resolve) await resolveOpen(command, connection, flags)
  const books = ledger ?? (await readJournal(connection, flags))
  const comparison = new Comparison(books, flags)
  await compareList(connection, comparison)
  const lookups = new Lookups(connection.api)
  if (books.isJournal) await readAgain(connection, comparison)
  await completeRows(lookups, comparison)
  await settleUnresolved(lookups, comparison)
  const strangers = await findStrangers(lookups, comparison)
  await settleMissing(lookups, comparison)
  comparison.addStrangers(strangers)
  await settleDoubles(lookups, comparison)
  for (const text of uncomparedTexts(comparison)) command.warn(text)
  await printDifferences(command, comparison, flags)
  if (!flags.json) command.tell(summaryOf(comparison))
  if (comparison.differences.length > 0) command.exitCode = EXITS.not_as_agreed.code
}

function readJournal(
  {state, target}: Connection,
  window: Window,
  names?: ReadonlySet<string>,
): Promise<Books> {
  return lookingUp(() => readJournalBooks(state.journal, target, window, names))
}

async function compareList({api, atStep}: Connection, comparison: Comparison): Promise<void> {
  let count = 0
  for await (const page of eachReservation(api, queryOf(comparison.window))) {
    for (const found of page) {
      const {row, trip} = readRow(found)
      comparison.take(row, trip)
    }
    count += page.length
    atStep(`${count} compared`)
  }
  comparison.pairLoose()
  comparison.settleSecondEntries()
}

/**
 * Reads the journal again for the reservations without an entry and for the attempts with an unknown outcome, because
 * another process may have booked while the list was read.
 */
async function readAgain(connection: Connection, comparison: Comparison): Promise<void> {
  const {books} = comparison
  const strangers = comparison.takeStrangers()
  const open = [...comparison.open.map(({entry}) => entry), ...comparison.unresolved()]
  const names = new Set<string>(open.map(({reference}) => reference))
  for (const {reservationRef, reference} of strangers) {
    names.add(reservationRef)
    if (reference !== null) names.add(reference)
  }
  if (names.size === 0) return
  books.indexReferences(names)
  const newer = await readJournal(connection, comparison.window, names)
  newer.indexReferences(names)
  const knownAs = ({id, reference}: Entry) => books.under(reference).find(each => each.id === id)
  for (const entry of newer.entries) {
    const known = knownAs(entry)
    if (known?.standing === 'open') books.renew(known, entry)
  }
  for (const row of strangers) {
    const found = newer.ofReservation(row) ?? newer.ofReference(row)
    const entry = found && (knownAs(found) ?? found)
    if (entry !== undefined && entry.found === undefined) comparison.pair(entry, row)
    else comparison.addStranger(row)
  }
}

/** Looks up the reservations of which the list does not say enough, and compares them with their entries. */
async function completeRows(lookups: Lookups, comparison: Comparison): Promise<void> {
  await inParallel(comparison.incomplete.splice(0), LOOKUPS_AT_ONCE, async ({entry, row}) => {
    const shown = await lookups.show(row.reservationRef)
    comparison.judge(entry, typeof shown === 'string' ? row : mergeRows(shown, row))
  })
}

async function settleUnresolved(lookups: Lookups, comparison: Comparison): Promise<void> {
  for (const {entry, row} of comparison.open.splice(0)) comparison.judge(entry, row)
  await inParallel(comparison.unresolved(), LOOKUPS_AT_ONCE, async entry => {
    const found = await lookups.find(entry.reference)
    const row = found === 'unclear' ? undefined : (found.find(isLiveRow) ?? found[0])
    comparison.addUnresolved(entry, row)
  })
}

/**
 * Returns the reservations that no entry of the books is about. Reservations of which the list does not say enough are
 * looked up. Those that stay unclear are counted in `uncompared`.
 */
async function findStrangers(lookups: Lookups, comparison: Comparison): Promise<Row[]> {
  const {books, uncompared, window} = comparison
  const strangers: Row[] = []
  const hasWaiting = books.entries.some(
    ({found, reservationRef, standing}) =>
      found === undefined && reservationRef === null && (standing === 'open' || isLive(standing)),
  )
  await inParallel(comparison.takeStrangers(), LOOKUPS_AT_ONCE, async listed => {
    const lacksReference = listed.reference === null && hasWaiting
    let row = listed
    if (lacksReference || isWithinAsWritten(window, listed.createdAt) === undefined) {
      const shown = await lookups.show(listed.reservationRef)
      if (typeof shown !== 'string') row = shown
    }
    const entry = lacksReference ? books.ofReference(row) : undefined
    const isWithin = isWithinAsWritten(window, row.createdAt)
    if (entry) comparison.pair(entry, row)
    else if (isWithin === undefined) uncompared.times++
    else if (isWithin && row.reference === null && hasWaiting) uncompared.references++
    else if (isWithin) strangers.push(row)
  })
  return strangers
}

/** Looks up each entry whose reservation is not in the list, before the reservation is reported as missing. */
async function settleMissing(lookups: Lookups, comparison: Comparison): Promise<void> {
  const {books, uncompared, window} = comparison
  await inParallel(comparison.missing(), LOOKUPS_AT_ONCE, async entry => {
    const rows = await lookUp(lookups, entry)
    // Without --since and --until the list has every reservation, so an unclear answer still means that the reservation
    // is missing.
    if (rows === 'unclear' && !isOpenEnded(window)) {
      uncompared.entries++
      return
    }
    const [row] =
      rows === 'unclear' ? [] : [...rows].sort((a, b) => Number(isLiveRow(b)) - Number(isLiveRow(a)))
    if (row === undefined) return comparison.addMissing(entry)
    const other = comparison.entryOf(row)
    if (other && !books.isJournal) comparison.addSecondLine(entry, other)
    else comparison.pair(entry, row)
  })
  // These pairs have been looked up already.
  for (const {entry, row} of comparison.incomplete.splice(0)) comparison.judge(entry, row)
}

/**
 * Decides which of several reservations for the same guests, hotel and dates was made first. All later ones are
 * reported as doubles.
 */
async function settleDoubles(lookups: Lookups, comparison: Comparison): Promise<void> {
  const rowsLike = new Map<string, Row[]>()
  for (const {row, other} of comparison.doubles.splice(0))
    rowsLike.set(other, [...(rowsLike.get(other) ?? []), row])
  for (const [reference, rows] of rowsLike) {
    const shown = await lookups.show(reference)
    if (typeof shown === 'string') {
      for (const row of oldestFirst(rows)) comparison.addDouble(row, reference)
      continue
    }
    const [first = shown, ...later] = oldestFirst([shown, ...rows])
    for (const row of later) comparison.addDouble(row, first.reservationRef)
  }
}

async function lookUp(
  lookups: Lookups,
  {reference, reservationRef}: Entry,
): Promise<readonly Row[] | 'unclear'> {
  if (reservationRef !== null) {
    const shown = await lookups.show(reservationRef)
    if (shown === 'unclear') return 'unclear'
    return shown === 'none' ? [] : [shown]
  }
  const found = await lookups.find(reference)
  if (found !== 'unclear' && found.length > 0) return found
  const shown = await lookups.show(reference)
  if (typeof shown !== 'string') return [shown]
  return shown === 'none' ? found : 'unclear'
}
