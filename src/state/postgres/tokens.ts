/**
 * The token cache in the shared store (§5.7). Tokens are encrypted. Of all machines, only one process at a time
 * requests a new token.
 */
import {Failure} from '../../contract/failure.js'
import type {CachedToken, Client, TokenCache, TokenClient} from '../../contract/token-cache.js'
import {StorageError} from '../../storage/errors.js'
import type {StoreConnection} from './connection.js'
import {leasesOf} from './locks.js'
import type {Seal} from './seal.js'

interface Row {
  readonly generation: string | null
  readonly asked_scopes: string | null
  readonly sealed: Uint8Array
  readonly scopes: string
  /**
   * Seconds since the token was obtained, by the database's clock. `left` is the number of seconds until it expires.
   */
  readonly age: number
  readonly left: number
}

const LIST = `SELECT c.generation, t.asked_scopes, t.sealed, t.scopes,
    extract(epoch FROM clock_timestamp() - t.obtained_at)::float8 AS age,
    extract(epoch FROM t.expires_at - clock_timestamp())::float8 AS "left"
  FROM (SELECT) AS one LEFT JOIN bookctl.clients c ON c.base_url = $1 AND c.client_id = $2
  LEFT JOIN bookctl.access_tokens t ON t.base_url = $1 AND t.client_id = $2 AND t.key_id = $3
  ORDER BY t.obtained_at DESC`

/** Stores a token, unless the user has logged out since this process read the generation. */
const PUT = `INSERT INTO bookctl.access_tokens
  SELECT $1, $2, $3, $4, $5, $6, $7, clock_timestamp() - make_interval(secs => $8),
    clock_timestamp() + make_interval(secs => $9)
  WHERE $10 = coalesce((SELECT generation FROM bookctl.clients WHERE base_url = $1 AND client_id = $2), 1)
  ON CONFLICT (base_url, client_id, key_id, asked_scopes) DO UPDATE SET token_id = excluded.token_id,
    sealed = excluded.sealed, scopes = excluded.scopes, obtained_at = excluded.obtained_at,
    expires_at = excluded.expires_at`

const NOTE = `INSERT INTO bookctl.token_failures VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
  ON CONFLICT (base_url, client_id, key_id, asked_scopes, route)
  DO UPDATE SET failure = excluded.failure, failed_at = excluded.failed_at`

const FORGET = `WITH next AS (
    INSERT INTO bookctl.clients AS c (base_url, client_id, generation) VALUES ($1, $2, 2)
    ON CONFLICT (base_url, client_id) DO UPDATE SET generation = c.generation + 1
  ), failures AS (DELETE FROM bookctl.token_failures WHERE base_url = $1 AND client_id = $2)
  DELETE FROM bookctl.access_tokens WHERE base_url = $1 AND client_id = $2`

/**
 * Creates the token cache. Times are converted to this machine's clock `now` (Unix seconds); the database stores times
 * of its own clock.
 */
export function createSharedTokens(
  store: StoreConnection,
  sealFor: (clientSecret: string) => Seal,
  now: () => number,
): TokenCache & {forget(client: Client): Promise<boolean>} {
  /** The generation of each client when this process first read it. A logout on any machine increments it. */
  const generations = new Map<string, number>()
  const alone = leasesOf(store)
  const whose = (client: TokenClient) => {
    const {keyId} = sealFor(client.clientSecret)
    return [client.baseUrl, client.clientId, keyId] as const
  }
  const placeOf = ({baseUrl, clientId}: Client, asked: string) => ({
    table: 'access_tokens',
    column: 'sealed',
    row: [baseUrl, clientId, asked],
  })
  const listed = async (client: TokenClient) => {
    const {rows} = await store.query<Row>(LIST, whose(client))
    const name = nameOf(client)
    if (!generations.has(name)) generations.set(name, Number(rows[0]?.generation ?? 1))
    return rows
  }
  return {
    async list(client) {
      const seal = sealFor(client.clientSecret)
      const at = now()
      return (await listed(client)).flatMap(row => {
        if (row.asked_scopes === null) return []
        const accessToken = seal.open(row.sealed, placeOf(client, row.asked_scopes))
        if (accessToken === undefined) return []
        const token: CachedToken = {
          access_token: accessToken,
          scopes: row.scopes.split(' ').filter(Boolean),
          askedScopes: row.asked_scopes.split(' ').filter(Boolean),
          // No token was obtained in the future. If the clocks make it seem so, the age is 0.
          obtainedAt: at - Math.max(0, row.age),
          expiresAt: at + row.left,
        }
        return [token]
      })
    },
    put: (client, token) =>
      unlessAway(async () => {
        const seal = sealFor(client.clientSecret)
        if (!generations.has(nameOf(client))) await listed(client)
        const asked = token.askedScopes.join(' ')
        const sealed = seal.seal(token.access_token, placeOf(client, asked))
        const at = now()
        const granted = [seal.fingerprint(token.access_token), sealed, token.scopes.join(' ')]
        const times = [at - token.obtainedAt, token.expiresAt - at]
        const generation = generations.get(nameOf(client))
        await store.query(PUT, [...whose(client), asked, ...granted, ...times, generation])
      }),
    remove: (client, accessToken) =>
      unlessAway(async () => {
        const sql = `DELETE FROM bookctl.access_tokens
        WHERE base_url = $1 AND client_id = $2 AND key_id = $3 AND token_id = $4`
        await store.query(sql, [...whose(client), sealFor(client.clientSecret).fingerprint(accessToken)])
      }),
    noteFailure: (client, {scopes, route}, {kind, message, details}) =>
      unlessAway(async () => {
        const failure = JSON.stringify({kind, message, details})
        await store.query(NOTE, [...whose(client), scopes.join(' '), route, failure])
      }),
    async failureBetween(client, {scopes, route}, since) {
      const sql = `SELECT failure FROM bookctl.token_failures
        WHERE base_url = $1 AND client_id = $2 AND key_id = $3 AND asked_scopes = $4 AND route = $5
          AND failed_at >= clock_timestamp() - make_interval(secs => $6)`
      const values = [...whose(client), scopes.join(' '), route, now() - since]
      const row = (await store.query<{failure: string}>(sql, values)).rows[0]
      if (row === undefined) return undefined
      const {kind, message, details} = JSON.parse(row.failure) as Failure
      return new Failure(kind, message, details)
    },
    alone: (client, ...rest) => alone(['tokens', ...whose(client)].join(' '), ...rest),
    /**
     * Deletes the tokens of a client, and prevents running processes from storing theirs afterwards. Returns whether
     * there were any.
     */
    async forget(client) {
      generations.delete(nameOf(client))
      return (await store.query(FORGET, [client.baseUrl, client.clientId])).count > 0
    },
  }
}

/**
 * Runs `work`, ignoring an error that may pass, such as an unreachable store. The token is then not stored, but this
 * process still uses it.
 */
async function unlessAway(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StorageError && error.isPassing)) throw error
  }
}

function nameOf({baseUrl, clientId}: Client): string {
  return `${baseUrl}\n${clientId}`
}
