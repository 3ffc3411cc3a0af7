/**
 * Idempotency-Key (§4.4; what a repeat does is not in the interface). The answer to a request that was executed is kept for its client and key,
 * and answered again. After other refusals (400, 401, 403, 429, 5xx) nothing was done, and the key can be used again.
 */
import {createHash} from 'node:crypto'
import {canonicalJson} from '../../contract/json.js'
import {KEY_RETENTION_SECONDS} from '../../contract/operation-details.js'
import {type Answer, Refusal} from '../base/answers.js'
import type {RunningService} from './requests.js'

const KEPT_REFUSALS = [402, 404, 409, 410]
const MOST_KEY_LENGTH = 255

export type Pause = () => Promise<void>
type KeyUse = ReturnType<typeof keyUse>
type KeptAnswer = {readonly body_hash: string; readonly status: number; readonly body: string}

/** Throws Refusal: `idempotency_key_missing`, or `idempotency_key_invalid` for other than 1 to 255 visible ASCII characters. */
export function keyUse(clientId: string, header: string, json: unknown, requestId: string) {
  const key = header.trim()
  if (key === '') {
    throw new Refusal('idempotency_key_missing', 'Idempotency-Key is missing; send one, for example a UUID')
  }
  const isTooLong = key.length > MOST_KEY_LENGTH
  if (isTooLong || !/^[\x21-\x7e]+$/.test(key)) {
    const tooLong = `${key.length} characters; at most ${MOST_KEY_LENGTH}`
    const rule = isTooLong ? tooLong : 'only visible ASCII characters, without spaces'
    throw new Refusal('idempotency_key_invalid', `invalid Idempotency-Key: ${rule}; for example a UUID`)
  }
  const bodyHash = createHash('sha256').update(canonicalJson(json)).digest('hex')
  return {clientId, key, bodyHash, requestId, running: JSON.stringify([clientId, key])}
}

/** The kept answer, if any. Throws Refusal `idempotency_key_reused`, `idempotency_in_progress`. */
function replay(service: RunningService, use: KeyUse): Answer | undefined {
  const running = service.runningKeys.get(use.running)
  const sql = 'SELECT * FROM idempotency_keys WHERE client_id = ? AND key = ? AND created_at > ?'
  const oldest = service.clock.now() - KEY_RETENTION_SECONDS
  const kept = service.database.get<KeptAnswer>(sql, use.clientId, use.key, oldest)
  const bodyHash = running ?? kept?.body_hash
  if (bodyHash !== undefined && bodyHash !== use.bodyHash) {
    throw new Refusal('idempotency_key_reused', 'this Idempotency-Key was used with a different body')
  }
  if (running !== undefined) {
    const message = 'the first request with this Idempotency-Key is still running'
    throw new Refusal('idempotency_in_progress', message)
  }
  const headers = {'Idempotent-Replayed': 'true'}
  return kept && {status: kept.status, json: JSON.parse(kept.body), headers}
}

/**
 * The answer kept under the key; or, after `pause`, that of `work`, kept in one transaction with what it did. A refusal undoes
 * the work and is kept by itself. Throws as `replay` and `work` do.
 */
export async function runOnce(service: RunningService, use: KeyUse, pause: Pause, work: () => Answer) {
  const earlier = replay(service, use)
  if (earlier) return earlier
  service.runningKeys.set(use.running, use.bodyHash)
  try {
    await pause()
    return service.database.transaction(() => {
      const answer = work()
      keep(service, use, answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Refusal && KEPT_REFUSALS.includes(error.status)) {
      keep(service, use, error.toAnswer(use.requestId))
    }
    throw error
  } finally {
    service.runningKeys.delete(use.running)
  }
}

function keep(service: RunningService, use: KeyUse, answer: Answer): void {
  const sql = `INSERT OR REPLACE INTO idempotency_keys (client_id, key, body_hash, status, body, created_at)
    VALUES (?, ?, ?, ?, ?, ?)`
  const {clientId, key, bodyHash} = use
  const body = JSON.stringify(answer.json)
  service.database.run(sql, clientId, key, bodyHash, answer.status, body, service.clock.now())
}
