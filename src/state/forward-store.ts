/** Events still to be forwarded to the addresses of `listen --forward-to`; in events.db, they survive the process. */
import {type DueForward, type EventRow, type ForwardResult, fromEventRow} from '../contract/stored-events.js'
import type {Database} from '../storage/database.js'
import type {OwnerFate} from '../storage/temporary.js'

/** An attempt takes seconds, and a failed one is due again only after its wait. */
const LONG_DUE_SECONDS = 300

const DUE = `SELECT sequence FROM forwards
  WHERE state = 'pending' AND target = ? AND owner = ? AND next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?`

const ONE = `SELECT events.sequence, target, event_id AS eventId, type, received_at AS receivedAt, headers, body, attempts
  FROM forwards JOIN events USING (sequence) WHERE sequence = ? AND target = ?`

export function createForwardStore(open: () => Database) {
  const taken = new Map<string, Set<number>>()
  const takenOf = (target: string) => {
    const set = taken.get(target) ?? new Set<number>()
    taken.set(target, set)
    return set
  }
  return {
    /** Adopts forwards of owners that are gone, or elsewhere and long overdue, due at once; returns their number. */
    adopt(
      owner: string,
      targets: readonly string[],
      fateOf: (owner: string) => OwnerFate,
      now: number,
    ): number {
      const database = open()
      const left = `state = 'pending' AND target = ? AND owner = ? AND next_attempt_at <= ?`
      const dueBy = {running: undefined, gone: Number.MAX_VALUE, elsewhere: now - LONG_DUE_SECONDS}
      return database.transaction(() => {
        const changes = targets.flatMap(target =>
          ownersOf(database, target).map(other => {
            const by = other === owner ? undefined : dueBy[fateOf(other)]
            if (by === undefined) return 0
            const sql = `UPDATE forwards SET owner = ?, next_attempt_at = ? WHERE ${left}`
            return database.run(sql, owner, now, target, other, by)
          }),
        )
        return changes.reduce((sum, rows) => sum + rows, 0)
      })
    },
    /** Due ones of `owner`, oldest first, without those taken before and not settled yet. */
    take(owner: string, target: string, now: number, limit: number): DueForward[] {
      const database = open()
      const busy = takenOf(target)
      const rows = database
        .all<{sequence: number}>(DUE, target, owner, now, busy.size + limit)
        .filter(({sequence}) => !busy.has(sequence))
        .slice(0, limit)
        .map(({sequence}) => database.get<EventRow<DueForward>>(ONE, sequence, target))
        .filter(row => row !== undefined)
        .map(row => fromEventRow(row))
      for (const {sequence} of rows) busy.add(sequence)
      return rows
    },
    /** Records attempts in one transaction. */
    settle(results: readonly ForwardResult[]): void {
      const database = open()
      const sql = `UPDATE forwards SET state = ?, attempts = attempts + 1, next_attempt_at = ?, status = ?, ms = ?,
        error = ? WHERE sequence = ? AND target = ?`
      database.transaction(() => {
        for (const {state, nextAttemptAt, status, ms, error, sequence, target} of results)
          database.run(sql, state, nextAttemptAt, status, ms, error, sequence, target)
      })
      for (const {sequence, target} of results) takenOf(target).delete(sequence)
    },
  }
}

function ownersOf(database: Database, target: string): string[] {
  const sql = "SELECT DISTINCT owner FROM forwards WHERE state = 'pending' AND target = ?"
  return database.all<{owner: string}>(sql, target).map(row => row.owner)
}
