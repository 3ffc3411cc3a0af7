/**
 * Stores guests and contacts of each client in state.db, with the user's consent. When they are deleted, no byte of
 * them stays on the disk.
 */
import type {Contact, Guest} from '../contract/reservations.js'
import type {Client} from '../contract/token-cache.js'
import type {Database, Value} from '../storage/database.js'

/** A guest without the fields that differ from booking to booking. */
export type KeptGuest = Omit<Guest, 'type' | 'is_lead'>

export interface Kept<T> {
  readonly id: number
  readonly details: T
}

/** The people of one client. */
export type People = ReturnType<ReturnType<typeof createPeopleStore>['forClient']>

/** Maximum number of people per client. The oldest ones are deleted. */
const MOST_KEPT = 200

const UPSERT = `INSERT INTO people (base_url, client_id, kind, person, details, kept_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET details = excluded.details, kept_at = excluded.kept_at`
const OF_CLIENT = 'base_url = ? AND client_id = ?'

export function createPeopleStore(database: Database) {
  /** Deletes people and returns whether there were any. */
  const forget = (where: string, ...values: Value[]): boolean =>
    database.erase(() => database.run(`DELETE FROM people WHERE ${where}`, ...values)) > 0
  const list = <T>(where: string, ...values: Value[]): Kept<T>[] => {
    const sql = `SELECT id, details FROM people WHERE ${where} ORDER BY kept_at DESC, id`
    const rows = database.all<{id: number; details: string}>(sql, ...values)
    return rows.map(({id, details}) => ({id, details: JSON.parse(details) as T}))
  }
  return {
    forClient({baseUrl, clientId}: Client) {
      const client = [baseUrl, clientId] as const
      return {
        /** Stores people, each once. Newer details replace older ones. `now` is in Unix seconds. */
        keep({guests, contact}: {guests: readonly KeptGuest[]; contact?: Contact}, now: number): void {
          const put = (kind: 'guest' | 'contact', person: string, details: object) =>
            database.run(UPSERT, ...client, kind, person, JSON.stringify(details), now)
          database.transaction(() => {
            for (const guest of guests) put('guest', personOf(guest, guest.birth_date), guest)
            if (contact) put('contact', personOf(contact, contact.email), contact)
            const oldest = `SELECT id FROM people WHERE ${OF_CLIENT} ORDER BY kept_at DESC, id DESC LIMIT -1 OFFSET ?`
            database.run(`DELETE FROM people WHERE id IN (${oldest})`, ...client, MOST_KEPT)
          })
        },
        /** Returns the guests, those of the latest booking first, in the order of each booking. */
        guests: () => list<KeptGuest>(`${OF_CLIENT} AND kind = 'guest'`, ...client),
        contacts: () => list<Contact>(`${OF_CLIENT} AND kind = 'contact'`, ...client),
        /** Deletes the person with this id, or all people. Returns whether there were any. */
        forget: (which: number | 'all'): boolean =>
          which === 'all'
            ? forget(OF_CLIENT, ...client)
            : forget(`${OF_CLIENT} AND id = ?`, ...client, which),
      }
    },
    /** Returns the people of all clients. */
    listAll: () => list<KeptGuest | Contact>('TRUE').map(({details}) => details),
    forgetAll: () => forget('TRUE'),
  }
}

/** Returns a key that identifies a person: two entries with the same key are about the same person. */
function personOf({name, surname}: {name: string; surname: string}, more: string | undefined): string {
  return JSON.stringify([name, surname, more ?? ''].map(text => text.normalize('NFC').toLowerCase()))
}
