/** A store that an earlier version made: its reservations stay, and are found under their own keys. */
import {expect, test} from 'vitest'
import type {Journal} from '../../../src/contract/journal.js'
import {migration} from '../../../src/state/postgres/schema.js'
import {createSeal} from '../../../src/state/postgres/seal.js'
import {openSharedStores} from '../../../src/state/postgres/shared.js'
import {parseStoreUrl} from '../../../src/state/postgres/url.js'
import {CLIENT, intent} from '../../support/client.js'
import {closing} from '../../support/own.js'
import {findPostgres, startPostgres} from '../../support/postgres.js'

const found = await findPostgres()
const BEGIN = 'SELECT FROM bookctl.begin_reservation($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'

/** What the first version began with: an intent of CLIENT, sealed and hashed with its secret. */
function begunBefore(n: number): unknown[] {
  const {clientReferenceId, offerId, idempotencyKey, body, bodySha256, intentSha256} = intent(n)
  const {baseUrl, clientId, clientSecret} = CLIENT
  const {keyId, seal, fingerprint} = createSeal(clientSecret)
  const place = {table: 'reservations', column: 'sealed_body', row: [baseUrl, clientId, idempotencyKey]}
  const hashes = [fingerprint(bodySha256), fingerprint(intentSha256)]
  return [
    baseUrl,
    clientId,
    clientReferenceId,
    offerId,
    idempotencyKey,
    keyId,
    seal(body, place),
    ...hashes,
    '',
  ]
}

test.skipIf('missing' in found)(
  'its attempts are repeated with their keys, and forbid the same as before',
  async () => {
    const server = closing(await startPostgres())
    const url = await server.url('earlier')
    const sql = (text: string, values: unknown[] = []) => server.sql(text, values, 'earlier')
    await sql(migration(1))
    await sql(BEGIN, begunBefore(1))
    await sql('UPDATE bookctl.reservations SET attempts = 1')

    const address = parseStoreUrl(url, {})
    const stores = closing(
      openSharedStores({address, trusted: undefined, most: 1, timeoutMilliseconds: 5000}),
    )
    const journal: Journal = stores.journal.forClient(CLIENT)
    const {body, idempotencyKey} = intent(1)
    const verdict = await journal.begin(intent(1, {idempotencyKey: 'second'}), 1)
    expect(verdict).toMatchObject({kind: 'repeat', entry: {idempotencyKey, body, attempts: 1, agreed: null}})
    expect(await journal.begin(intent(2, {offerId: 'off_1'}), 1)).toMatchObject({conflict: 'offer_in_use'})
    expect(await journal.begin(intent(3), 1)).toMatchObject({kind: 'new'})
    // A process of the earlier version that still runs cannot begin beside it.
    await expect(sql(BEGIN, begunBefore(4))).rejects.toThrow('begin_reservation')
  },
)
