/** A PostgreSQL server that the cells of a part share. */
import {type PostgresServer, startPostgres} from '../../support/postgres.js'

/** What the cells share: a database server, which starts when the first of them needs it. */
export interface Bench {
  postgres(): Promise<PostgresServer>
}

export async function openBench() {
  let server: Promise<PostgresServer> | undefined
  return {
    postgres() {
      server ??= startPostgres({max_connections: '200'})
      return server
    },
    async close() {
      await (await server)?.close()
    },
  }
}
