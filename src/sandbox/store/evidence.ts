/**
 * Stores the evidence by which `sandbox certify` judges clients: requests (several in one row), and attempts to deliver
 * events.
 */

import type {Database} from '../../storage/database.js'
import {KEPT_EVIDENCE, type RecordedRequest, type SeenAttempt, type SeenRequest} from '../certify/evidence.js'

/** Returns the number of the latest request, or 0 if there is none. */
export function lastSequence(database: Database): number {
  return database.get<{last: number | null}>('SELECT max(last) AS last FROM seen_requests')?.last ?? 0
}

/** Stores the requests in one row, and removes the oldest rows beyond KEPT_EVIDENCE requests. */
export function addRequests(database: Database, requests: readonly RecordedRequest[]): void {
  const all = requests.map(({seen}) => seen)
  const paths = requests.map(({method, path}) => [method, path])
  const last = all.reduce((latest, {sequence}) => Math.max(latest, sequence), 0)
  database.transaction(() => {
    const insert = 'INSERT INTO seen_requests (last, requests, paths) VALUES (?, ?, ?)'
    database.run(insert, last, JSON.stringify(all), JSON.stringify(paths))
    database.run('DELETE FROM seen_requests WHERE last <= ?', last - KEPT_EVIDENCE)
  })
}

/** Stores an attempt to deliver an event. Must run in a transaction. */
export function addAttempt(database: Database, clientId: string, attempt: SeenAttempt): void {
  const insert = 'INSERT INTO seen_attempts (client_id, record) VALUES (?, ?) RETURNING sequence'
  const row = database.get<{sequence: number}>(insert, clientId, JSON.stringify(attempt))
  const oldest = (row?.sequence ?? 0) - KEPT_EVIDENCE
  if (oldest > 0) database.run('DELETE FROM seen_attempts WHERE sequence <= ?', oldest)
}

/** Returns the request with this id, or undefined. */
export function findRequest(database: Database, requestId: string): RecordedRequest | undefined {
  const sql = 'SELECT requests, paths FROM seen_requests WHERE instr(requests, ?)'
  for (const row of database.all<{requests: string; paths: string}>(sql, `"${requestId}"`)) {
    const all = read(row)
    const place = all.findIndex(seen => seen.requestId === requestId)
    const seen = all[place]
    const [method = '', path = ''] = (JSON.parse(row.paths) as string[][])[place] ?? []
    if (seen) return {seen, method, path}
  }
  return undefined
}

const read = ({requests}: {requests: string}) => JSON.parse(requests) as SeenRequest[]

/** How many attempts are read at a time. */
const PAGE = 2000

/**
 * Returns the requests of a client since `since` (Unix seconds of the sandbox's clock). A request with an expired token
 * counts for the client that the token was issued to.
 */
export function requestsOf(database: Database, clientId: string, since: number): SeenRequest[] {
  const found: SeenRequest[] = []
  const issued = new Set<string>()
  const texts = new Map<string, string>()
  const next = 'SELECT sequence, requests FROM seen_requests WHERE sequence > ? ORDER BY sequence LIMIT 1'
  for (let after = 0; ; ) {
    const row = database.get<{sequence: number; requests: string}>(next, after)
    if (row === undefined) return found
    after = row.sequence
    for (const seen of read(row)) {
      if (seen.facts.issued !== undefined && seen.clientId === clientId) issued.add(seen.facts.issued)
      const isOwn = seen.clientId === clientId || (seen.token !== null && issued.has(seen.token))
      if (isOwn && seen.at >= since) found.push(withSharedTexts(seen, texts))
    }
  }
}

/** Returns the request, with texts that many requests share stored only once in memory. */
function withSharedTexts(seen: SeenRequest, texts: Map<string, string>): SeenRequest {
  const share = <Text extends string | null>(text: Text): Text => {
    if (text === null) return text
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return (known ?? text) as Text
  }
  const {operation, clientId, token, code, ending} = seen
  return Object.assign(seen, {
    operation: share(operation),
    clientId: share(clientId),
    token: share(token),
    code: share(code),
    ending: share(ending),
  })
}

/**
 * Returns the attempts to deliver events to the client's subscriptions since `since` (Unix seconds of the sandbox's
 * clock), oldest first.
 */
export function attemptsOf(database: Database, clientId: string, since: number): SeenAttempt[] {
  const sql = `SELECT sequence, record FROM seen_attempts WHERE sequence > ? AND client_id = ?
    ORDER BY sequence LIMIT ${PAGE}`
  const found: SeenAttempt[] = []
  for (let after = 0; ; ) {
    const rows = database.all<{sequence: number; record: string}>(sql, after, clientId)
    found.push(...rows.map(({record}) => JSON.parse(record) as SeenAttempt).filter(({at}) => at >= since))
    if (rows.length < PAGE) return found
    after = rows.at(-1)?.sequence ?? after
  }
}
