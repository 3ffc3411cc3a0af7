/** Where a journal may be: in the files of a machine, or in PostgreSQL, where it runs. */
import {findPostgres, type PostgresServer, startPostgres} from '../../support/postgres.js'
import {openSandbox} from './home.js'
import {Side} from './scene.js'

const found = await findPostgres()

export const STORES = 'missing' in found ? (['files'] as const) : (['files', 'PostgreSQL'] as const)
export type StoreName = 'files' | 'PostgreSQL'
export const withoutPostgres = (what: string) =>
  'missing' in found ? [`${what} in PostgreSQL: ${found.missing}`] : []

/** A sandbox, and stores; the server is started with the first store that needs it. */
export async function openWithStores() {
  const sandbox = await openSandbox()
  let server: Promise<PostgresServer> | undefined
  let databases = 0
  return {
    side: new Side(sandbox.origin),
    /** Variables of a store of its own. */
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
