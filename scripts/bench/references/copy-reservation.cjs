// `copy-reservation.cjs DATABASE COUNT` copies the one reservation of a sandbox's database so many times, with its search,
// its idempotency key and its events; each copy has names of its own for what it is found by.
'use strict'
const Database = require('libsql')

/** What a copy has of its own, as SQL; `n` counts the copies. Every other column is as it was. */
const OWN = {
  searches: {sequence: 'NULL'},
  reservations: {
    sequence: 'NULL',
    reservation_ref: "reservation_ref || '_' || n",
    client_reference_id: "client_reference_id || '_' || n",
    offer_id: "offer_id || '_' || n",
  },
  idempotency_keys: {key: "key || '_' || n"},
  events: {
    sequence: 'NULL',
    event_id: "event_id || '_' || n",
    data: "json_set(data, '$.reservation_ref', 'RSV-' || n)",
  },
}

const [path, count] = process.argv.slice(2)
const database = new Database(path)
database.exec('BEGIN')
for (const [table, own] of Object.entries(OWN)) {
  const columns = database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({name}) => name)
  database.exec(`WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${count})
    INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.map(name => own[name] ?? name).join(', ')}
    FROM copies, (SELECT * FROM ${table} LIMIT 1)`)
}
database.exec('COMMIT')
database.close()
