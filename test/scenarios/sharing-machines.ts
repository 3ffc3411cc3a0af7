/** Machines that share one PostgreSQL, for the stories that need one: each has a configuration directory of its own. */
import {afterAll, beforeAll, describe} from 'vitest'
import {ownHome} from '../support/own.js'
import {findPostgres, type PostgresServer, startPostgres} from '../support/postgres.js'
import {ScriptedService} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'

export const POSTS = '/reservations/hotel'

/** Runs `stories` where there is a PostgreSQL for this platform. */
export async function describeSharing(stories: (shared: Sharing) => void): Promise<void> {
  const found = await findPostgres()
  const missing = 'missing' in found ? found.missing : undefined
  if (missing !== undefined) console.warn(`PostgreSQL is not tested here: ${missing}`)
  const service = await ScriptedService.start()
  afterAll(() => service.close())
  describe.skipIf(missing)('with a store that machines share', () => stories(new Sharing(service)))
}

export class Sharing {
  /** The address of the database of this test. */
  store = ''
  private started: PostgresServer | undefined

  constructor(readonly service: ScriptedService) {
    beforeAll(async () => {
      this.started = await startPostgres()
    })
    afterAll(() => this.started?.close())
  }

  get server(): PostgresServer {
    if (this.started === undefined) throw new Error('the server has not started')
    return this.started
  }

  /** Takes a database of its own for this test. */
  async fresh(name: string): Promise<void> {
    this.store = await this.server.url(name)
    this.service.forget()
  }

  machine(env: Record<string, string> = {}) {
    return ownHome({...this.service.env, BOOKCTL_STORE: this.store, ...env})
  }

  /** How many reservations the service was sent. */
  sent(): number {
    return this.service.seen(POSTS).length
  }
}

export const reserving = (offer: string) =>
  ['reserve', offer, '--pay', 'account', '--nationality', 'TR', ...GUESTS, '--yes'] as const
