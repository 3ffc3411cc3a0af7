// `copy-reservation.cjs DATABASE COUNT` copies the only reservation in a sandbox's database COUNT times, with its search, its
// idempotency key and its events. Each copy has its own identifiers.
'use strict'
const Database = require('libsql')

/** The SQL expressions for columns that differ in each copy; `n` counts the copies. All other columns are copied. */
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
