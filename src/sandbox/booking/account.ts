/**
 * Changes the balance of a client's account for bookings and cancellations. §3 only says that the account is debited;
 * the rest is not in the interface.
 */
import {toMinor} from '../../contract/money.js'
import type {Database} from '../../storage/database.js'
import {accountCharge, convert} from '../catalogue/countries-and-currencies.js'
import {findClient, listClients} from '../store/clients.js'
import {addEarlierEntries, addEntry, type LedgerEntry} from '../store/ledger.js'
import type {StoredReservation} from '../store/reservations.js'

/**
 * Refunds what the account was charged for a reservation and charges the cancellation fee. Each is an entry in the
 * ledger. `fee` is in the currency of the price, `at` is in Unix seconds. Must run in a transaction.
 */
export function refundAccount(
  database: Database,
  {clientId, record, debitedMinor}: StoredReservation,
  fee: string,
  at: number,
): void {
  const client = findClient(database, clientId)
  // Instant payments were not debited from the account. Their refund goes to the customer's card, which the sandbox
  // does not model.
  if (!client || record.payment.mode !== 'account') return
  const {price, payment, reservation_ref: reservationRef} = record
  const feeMinor = feeOnAccount(fee, price.currency, client.currency, payment.charged?.rate)
  for (const entry of cancellationEntries({at, reservationRef, debitedMinor, feeMinor}))
    addEntry(database, clientId, entry)
}

/**
 * Returns the fee in minor units of the account's currency, converted at the rate of the reservation. A reservation
 * made by an earlier version has no rate; the current rates are then used.
 */
function feeOnAccount(fee: string, from: string, to: string, rate: string | undefined): bigint {
  if (rate === undefined) return convert(toMinor(fee, from), from, to)
  return toMinor(accountCharge(fee, from, to, rate).amount, to)
}

interface Cancelled extends Pick<LedgerEntry, 'at' | 'reservationRef'> {
  readonly debitedMinor: bigint
  readonly feeMinor: bigint
}

function cancellationEntries({at, reservationRef, debitedMinor, feeMinor}: Cancelled): LedgerEntry[] {
  const refund = {at, kind: 'refund', reservationRef, amountMinor: debitedMinor} as const
  return feeMinor === 0n ? [refund] : [refund, {at, kind: 'fee', reservationRef, amountMinor: -feeMinor}]
}

type EarlierRow = Record<'reservation_ref' | 'currency' | 'created_at', string> &
  Record<'fee' | 'cancelled_at' | 'rate', string | null> & {readonly debited: number}

const SELECT_EARLIER = `
  SELECT reservation_ref, debited_minor AS debited, record ->> '$.price.currency' AS currency,
    record ->> '$.created_at' AS created_at, record ->> '$.cancellation.fee' AS fee,
    record ->> '$.cancellation.cancelled_at' AS cancelled_at, record ->> '$.payment.charged.rate' AS rate
  FROM reservations WHERE client_id = ? AND record ->> '$.payment.mode' = 'account' ORDER BY sequence`

/** Fills the ledger from the stored reservations, if the database has no ledger entries yet. */
export function fillLedger(database: Database): void {
  if (database.get('SELECT 1 FROM ledger LIMIT 1')) return
  for (const client of listClients(database)) {
    const entries = database.all<EarlierRow>(SELECT_EARLIER, client.client_id).flatMap(row => {
      const {reservation_ref: reservationRef, debited, currency, fee, cancelled_at, rate} = row
      const debitedMinor = BigInt(debited)
      const at = Date.parse(row.created_at) / 1000
      const booking = {at, kind: 'booking', reservationRef, amountMinor: -debitedMinor} as const
      if (fee === null || cancelled_at === null) return [booking]
      const feeMinor = feeOnAccount(fee, currency, client.currency, rate ?? undefined)
      const ended = {at: Date.parse(cancelled_at) / 1000, reservationRef, debitedMinor, feeMinor}
      return [booking, ...cancellationEntries(ended)]
    })
    addEarlierEntries(
      database,
      client,
      entries.sort((left, right) => left.at - right.at),
    )
  }
}
