/** Where a journal can be: in the files of a machine, or in PostgreSQL if it runs on this platform. */
import {findPostgres, type PostgresServer, startPostgres} from '../../support/postgres.js'
import {openSandbox} from './home.js'
import {Side} from './scene.js'

const found = await findPostgres()

export const STORES = 'missing' in found ? (['files'] as const) : (['files', 'PostgreSQL'] as const)
export type StoreName = 'files' | 'PostgreSQL'
export const withoutPostgres = (what: string) =>
  'missing' in found ? [`${what} in PostgreSQL: ${found.missing}`] : []

/** Opens a sandbox and stores. The database server starts with the first store that needs it. */
export async function openWithStores() {
  const sandbox = await openSandbox()
  let server: Promise<PostgresServer> | undefined
  let databases = 0
  return {
    side: new Side(sandbox.origin),
    /** Returns the variables that select a new store. */
    async store(name: StoreName): Promise<Record<string, string>> {
      if (name === 'files') return {}
      server ??= startPostgres()
      return {BOOKCTL_STORE: await (await server).url(`store_${++databases}`)}
    },
    async close() {
      await (await server)?.close()
      await sandbox.close()
    },
  }
}
