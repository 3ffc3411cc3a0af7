/**
 * Guests and contacts a person agreed to keep, to be offered again: state.db, on this machine alone. What is forgotten
 * leaves no byte on the disk.
 */
import type {Contact, Guest} from '../contract/reservations.js'
import type {Database} from '../storage/database.js'

/** A guest without a place in a room. */
export type KeptGuest = Omit<Guest, 'type' | 'is_lead'>

export interface Kept<T> {
  readonly id: number
  readonly details: T
}

export interface PeopleStore {
  /** Keeps them, once each; of the same person with other details the newer ones. `now`: Unix seconds. */
  keep(people: {readonly guests: readonly KeptGuest[]; readonly contact?: Contact}, now: number): void
  /** The most recent first. */
  guests(): Kept<KeptGuest>[]
  contacts(): Kept<Contact>[]
  /** Forgets one, or everybody. Returns whether there was anything. */
  forget(whom: number | 'all'): boolean
}

type Kind = 'guest' | 'contact'

/** Ours: more than these are no help in a list; the oldest go. */
const MOST_KEPT = 200

const UPSERT = `INSERT INTO people (kind, person, details, kept_at) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET details = excluded.details, kept_at = excluded.kept_at`

export function createPeopleStore(open: () => Database): PeopleStore {
  const list = <T>(kind: Kind): Kept<T>[] =>
    open()
      .all<{id: number; details: string}>(
        'SELECT id, details FROM people WHERE kind = ? ORDER BY kept_at DESC, id DESC',
        kind,
      )
      .map(({id, details}) => ({id, details: JSON.parse(details) as T}))
  return {
    keep({guests, contact}, now) {
      const database = open()
      database.transaction(() => {
        for (const guest of guests) put(database, 'guest', personOf(guest, guest.birth_date), guest, now)
        if (contact) put(database, 'contact', personOf(contact, contact.email), contact, now)
        const oldest = 'SELECT id FROM people ORDER BY kept_at DESC, id DESC LIMIT -1 OFFSET ?'
        database.run(`DELETE FROM people WHERE id IN (${oldest})`, MOST_KEPT)
      })
    },
    guests: () => list<KeptGuest>('guest'),
    contacts: () => list<Contact>('contact'),
    forget(whom) {
      const database = open()
      const rows =
        whom === 'all'
          ? database.run('DELETE FROM people')
          : database.run('DELETE FROM people WHERE id = ?', whom)
      if (rows > 0) database.wipe()
      return rows > 0
    },
  }
}

function put(database: Database, kind: Kind, person: string, details: object, now: number): void {
  database.run(UPSERT, kind, person, JSON.stringify(details), now)
}

/** What tells one person from another. */
function personOf({name, surname}: {name: string; surname: string}, more: string | undefined): string {
  return JSON.stringify([name, surname, more ?? ''].map(text => text.normalize('NFC').toLowerCase()))
}
