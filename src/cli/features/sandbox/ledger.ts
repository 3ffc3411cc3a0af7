/** Implements `sandbox ledger`: the debits and credits on the account of a client of the local sandbox. */
import {Failure} from '../../../contract/failure.js'
import {isObject} from '../../../contract/json.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import {type Column, columnsOf, headLine, type Result} from '../../terminal/result.js'
import {type Control, clientIdOf, hintFor} from './command.js'

interface Entry {
  readonly at: string
  readonly kind: string
  readonly reservation_ref: string
  /** Decimal string in the currency of the account; a debit is negative. */
  readonly amount: string
  readonly balance: string
}

export interface Ledger {
  readonly client_id: string
  readonly currency: string
  readonly opening_balance: string
  readonly entries: readonly Entry[]
  readonly balance: string
}

export const LEDGER_COLUMNS: readonly Column<Entry>[] = columnsOf<Entry>([
  'at',
  'kind',
  'reservation_ref',
  'amount',
  'balance',
])

const NAME_A_CLIENT = 'name one of them: bookctl sandbox ledger --client CLIENT'

/** Number of entries in one answer of the sandbox. */
const PAGE = 1000

/**
 * Reads all entries, page by page. `client` is an id or a short name. Throws a Failure with the code `not_found` if
 * there is no such client.
 */
export async function readLedger(control: Control, client: string | undefined): Promise<Ledger> {
  const id = clientIdOf(client)
  const entries: Entry[] = []
  let after = 0
  for (;;) {
    const query = `client_id=${encodeURIComponent(id)}&limit=${PAGE}&after=${after}`
    const page = await control(`/ledger?${query}`).catch(hintFor('not_found', NAME_A_CLIENT))
    if (!isLedger(page)) {
      const problem = 'the answer of the local sandbox has no ledger'
      throw new Failure('service_failed', problem, {code: 'answer_not_understood'})
    }
    entries.push(...page.entries)
    const {client_id, currency, opening_balance, balance, next} = page
    if (typeof next !== 'number' || next <= after)
      return {client_id, currency, opening_balance, entries, balance}
    after = next
  }
}

function isLedger(page: unknown): page is Ledger & {readonly next?: unknown} {
  if (!isObject(page) || !Array.isArray(page.entries)) return false
  const texts = [page.client_id, page.currency, page.opening_balance, page.balance]
  return texts.every(text => typeof text === 'string') && page.entries.every(isObject)
}

/** Returns the ledger as a result to print, oldest entry first. */
export function ledgerResult(ledger: Ledger): Result<Entry> {
  const {client_id, currency, opening_balance, entries, balance} = ledger
  const opening = moneyText({amount: opening_balance, currency})
  const now = moneyText({amount: balance, currency})
  return {
    document: ledger,
    items: entries,
    columns: LEDGER_COLUMNS,
    lead: headLine(`${client_id}: opening balance ${opening}, balance ${now}`),
    whenEmpty: `No entries: ${client_id} has its opening balance of ${opening}.`,
  }
}
