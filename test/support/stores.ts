/** Both kinds of store, the files of a machine and a shared PostgreSQL, for tests that must hold for both. */
import {afterAll, describe} from 'vitest'
import {openSharedStores} from '../../src/state/postgres/shared.js'
import {parseStoreUrl} from '../../src/state/postgres/url.js'
import {openState, type State} from '../../src/state/state.js'
import {closing, filesWith, ownDirectory} from './own.js'
import {findPostgres, type PostgresServer, startPostgres} from './postgres.js'

export interface Place {
  readonly name: string
  /** Whether the store takes the times of entries from its own clock, and makes stored hashes unguessable. */
  readonly isShared: boolean
  /** Opens an empty state for this test. A second `directory` is another machine that uses the same store. */
  open(directory?: string): Promise<State>
  /** Reports whether the store of the last state contains the bytes of `text`. */
  has(text: string): Promise<boolean>
}

let server: Promise<PostgresServer> | undefined
let directory = ''

/** Empties the database of the previous test, which takes a tenth of the time of a new database. */
const EMPTY = `DO $$ DECLARE names text; BEGIN
  SELECT string_agg(format('bookctl.%I', tablename), ', ') INTO names FROM pg_tables
    WHERE schemaname = 'bookctl' AND tablename <> 'schema_version';
  IF names IS NOT NULL THEN EXECUTE 'TRUNCATE ' || names || ' RESTART IDENTITY'; END IF; END $$`

const postgres: Place = {
  name: 'one PostgreSQL',
  isShared: true,
  async open(shared) {
    server ??= startPostgres()
    const {url, sql} = await server
    if (shared === undefined) await sql(EMPTY)
    const address = parseStoreUrl(await url(), {})
    const options = async () => ({address, trusted: undefined, timeoutMilliseconds: 5000})
    return closing(openState(ownDirectory(), {store: {opener: () => openSharedStores, options}}))
  },
  async has(text) {
    const rows = await (await server)?.sql<{row: string}>(
      `SELECT concat(encode(sealed_body, 'escape'), ' ', r::text) AS row FROM bookctl.reservations r
        UNION ALL SELECT concat(encode(sealed_plan, 'escape'), ' ', h::text) FROM bookctl.agent_handles h`,
    )
    return JSON.stringify(rows).includes(text)
  },
}

const files: Place = {
  name: 'the files of a machine',
  isShared: false,
  async open(shared) {
    directory = shared ?? ownDirectory()
    return closing(openState(directory))
  },
  has: async text => filesWith(directory, text).length > 0,
}

/** Runs `tests` with files, and with PostgreSQL if it is available for this platform. */
export async function describeEachPlace(tests: (place: Place) => void): Promise<void> {
  const found = await findPostgres()
  describe(files.name, () => tests(files))
  if ('missing' in found) console.warn(`PostgreSQL is not tested here: ${found.missing}`)
  describe.skipIf('missing' in found)(postgres.name, () => {
    afterAll(async () => {
      await (await server)?.close()
      server = undefined
    })
    tests(postgres)
  })
}
