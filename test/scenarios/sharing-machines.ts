/** Machines that share one PostgreSQL, for scenarios. Each has its own configuration directory. */
import {afterAll, beforeAll, beforeEach, describe} from 'vitest'
import {ownHome} from '../support/own.js'
import {findPostgres, type PostgresServer, startPostgres} from '../support/postgres.js'
import {ScriptedService} from '../support/scripted-service.js'

export const POSTS = '/reservations/hotel'

/** Runs `stories` if PostgreSQL is available for this platform. Each test has a database of its own. */
export async function describeSharing(stories: (shared: ReturnType<typeof sharing>) => void): Promise<void> {
  const found = await findPostgres()
  const missing = 'missing' in found ? found.missing : undefined
  if (missing !== undefined) console.warn(`PostgreSQL is not tested here: ${missing}`)
  const service = await ScriptedService.start()
  afterAll(() => service.close())
  describe.skipIf(missing)('with a store that machines share', () => stories(sharing(service)))
}

function sharing(service: ScriptedService) {
  let server: PostgresServer
  let [databases, url] = [0, '']
  const database = () => `story_${databases}`
  beforeAll(async () => {
    server = await startPostgres()
  })
  beforeEach(async () => {
    databases += 1
    url = await server.url(database())
    service.forget()
  })
  afterAll(() => server?.close())
  return {
    service,
    server: () => server,
    database,
    /** Returns the URL of the store with some parts changed. */
    store: (changed: Partial<URL> = {}) => Object.assign(new URL(url), changed).href,
    machine: (env: Record<string, string> = {}) => ownHome({...service.env, BOOKCTL_STORE: url, ...env}),
    sql: <Row extends object>(text: string) => server.sql<Row>(text, [], database()),
    /** Ends all connections to the database and refuses new ones, as for maintenance. */
    async shut() {
      await server.sql(`ALTER DATABASE ${database()} ALLOW_CONNECTIONS false`)
      await server.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
        database(),
      ])
    },
    /** Returns the number of reservation requests that the service got. */
    sent: () => service.seen(POSTS).length,
  }
}
