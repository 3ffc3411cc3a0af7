/** Where a journal may be: in the files of a machine, or in PostgreSQL, where it runs. */
import {findPostgres, type PostgresServer, startPostgres} from '../../support/postgres.js'

const found = await findPostgres()

export const STORES = 'missing' in found ? (['files'] as const) : (['files', 'PostgreSQL'] as const)
export type StoreName = 'files' | 'PostgreSQL'
export const withoutPostgres = (what: string) =>
  'missing' in found ? [`${what} in PostgreSQL: ${found.missing}`] : []

/** The server is started with the first store that needs it. */
export function openStores() {
  let server: Promise<PostgresServer> | undefined
  let databases = 0
  return {
    /** Variables of a store of its own. */
    async store(name: StoreName): Promise<Record<string, string>> {
      if (name === 'files') return {}
      server ??= startPostgres()
      return {BOOKCTL_STORE: await (await server).url(`store_${++databases}`)}
    },
    closeStores: async () => (await server)?.close(),
  }
}
