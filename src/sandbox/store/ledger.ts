/** The balance of each client's account, and what changes it. */
import type {Database} from '../../storage/database.js'

/** Adds `amountMinor` to the balance; a negative amount is debited. The caller must check that the balance is sufficient. */
export function changeBalance(database: Database, clientId: string, amountMinor: bigint, now: number): void {
  const sql = 'UPDATE clients SET balance_minor = balance_minor + ?, updated_at = ? WHERE client_id = ?'
  database.run(sql, amountMinor, now, clientId)
}
