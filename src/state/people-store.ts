/** Guests and contacts of each client, stored by consent, in state.db. Removed ones leave no byte on the disk. */
import type {Contact, Guest} from '../contract/reservations.js'
import type {Client} from '../contract/token-cache.js'
import type {Database, Value} from '../storage/database.js'

/** A guest without their place in a room. */
export type KeptGuest = Omit<Guest, 'type' | 'is_lead'>

export interface Kept<T> {
  readonly id: number
  readonly details: T
}

/** The people of one client. */
export type People = ReturnType<typeof peopleOf>

type Kind = 'guest' | 'contact'

/** A longer list is no help; the oldest entries are removed. */
const MOST_KEPT = 200

const UPSERT = `INSERT INTO people (base_url, client_id, kind, person, details, kept_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET details = excluded.details, kept_at = excluded.kept_at`
const OF_CLIENT = 'base_url = ? AND client_id = ?'

export function createPeopleStore(database: Database) {
  const forget = (where: string, ...values: Value[]) =>
    database.erase(() => database.run(`DELETE FROM people WHERE ${where}`, ...values)) > 0
  return {
    forClient: ({baseUrl, clientId}: Client) => peopleOf(database, [baseUrl, clientId], forget),
    /** The people of all clients. */
    listAll: () =>
      database
        .all<{details: string}>('SELECT details FROM people ORDER BY kept_at DESC, id DESC')
        .map(({details}) => JSON.parse(details) as KeptGuest | Contact),
    /** Removes the people of all clients. Returns whether there were any. */
    forgetAll: () => forget('TRUE'),
  }
}

function peopleOf(
  database: Database,
  client: readonly [baseUrl: string, clientId: string],
  forget: (where: string, ...values: Value[]) => boolean,
) {
  const list = <T>(kind: Kind): Kept<T>[] => {
    const sql = `SELECT id, details FROM people WHERE ${OF_CLIENT} AND kind = ? ORDER BY kept_at DESC, id`
    return database
      .all<{id: number; details: string}>(sql, ...client, kind)
      .map(({id, details}) => ({id, details: JSON.parse(details) as T}))
  }
  return {
    /** Stores people, each once; newer details replace older ones. `now`: Unix seconds. */
    keep({guests, contact}: {guests: readonly KeptGuest[]; contact?: Contact}, now: number): void {
      const put = (kind: Kind, person: string, details: object) =>
        database.run(UPSERT, ...client, kind, person, JSON.stringify(details), now)
      database.transaction(() => {
        for (const guest of guests) put('guest', personOf(guest, guest.birth_date), guest)
        if (contact) put('contact', personOf(contact, contact.email), contact)
        const oldest = `SELECT id FROM people WHERE ${OF_CLIENT} ORDER BY kept_at DESC, id DESC LIMIT -1 OFFSET ?`
        database.run(`DELETE FROM people WHERE id IN (${oldest})`, ...client, MOST_KEPT)
      })
    },
    /** Those of the latest booking first, in the order of that booking. */
    guests: () => list<KeptGuest>('guest'),
    contacts: () => list<Contact>('contact'),
    /** Removes one of them, or all. Returns whether there was anything. */
    forget: (which: number | 'all'): boolean =>
      which === 'all' ? forget(OF_CLIENT, ...client) : forget(`${OF_CLIENT} AND id = ?`, ...client, which),
  }
}

/** Two entries with the same result are the same person. */
function personOf({name, surname}: {name: string; surname: string}, more: string | undefined): string {
  return JSON.stringify([name, surname, more ?? ''].map(text => text.normalize('NFC').toLowerCase()))
}
