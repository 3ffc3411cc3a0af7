/** Single values of the sandbox: the clock's offset and the secret that signs voucher links. */
import type {Database} from '../../storage/database.js'

export type MetaName = 'clock_offset_seconds' | 'voucher_secret'

export function readMeta(database: Database, name: MetaName): string | undefined {
  return database.get<{value: string}>('SELECT value FROM meta WHERE name = ?', name)?.value
}

export function writeMeta(database: Database, name: MetaName, value: string): void {
  database.run(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  )
}
