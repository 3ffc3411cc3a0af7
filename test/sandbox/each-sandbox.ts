/** What tests of the sandbox share: one for each test, whose answers are all checked; how they state refusals; and pages with forms. */
import {afterEach, beforeEach, expect} from 'vitest'
import type {z} from 'zod'
import {OPERATION_DETAILS} from '../../src/contract/operation-details.js'
import {type OperationName, operationAt} from '../../src/contract/operations.js'
import {answerPointer, described, schemaCheck} from '../support/description.js'
import {
  type JsonAnswer,
  type SandboxClient,
  startSandbox,
  type TestSandbox,
  type TestSandboxOptions,
} from '../support/sandbox.js'

/** Starts a sandbox before each test of the file and closes it after; by default in process. Both objects stay the same.
 * Each answer of its API is checked. */
export function sandboxForEachTest(options: TestSandboxOptions = {inProcess: true}): {
  sandbox: TestSandbox
  client: SandboxClient
} {
  const sandbox = {} as TestSandbox
  const client = {} as SandboxClient
  beforeEach(async () => {
    Object.assign(sandbox, await startSandbox({check: checkAnswer, ...options}))
    Object.assign(client, await sandbox.client())
  })
  afterEach(() => sandbox.close())
  return {sandbox, client}
}

const {faults} = schemaCheck()

/**
 * Fails when an answer in JSON is not what the description and the contract say: a status that is not described, a body
 * not valid by its schema, a key that the contract does not know. Returns the operation when it succeeded.
 */
export function checkAnswer(method: string, path: string, answer: JsonAnswer): OperationName | undefined {
  const {status, headers, json} = answer
  const requestId = headers.get('x-request-id')
  expect(requestId, path).toBeTruthy()
  if (json.error && !headers.has('idempotent-replayed')) expect(json.error.request_id, path).toBe(requestId)
  const name = operationAt(method, path.replace(/\?.*/, ''))
  if (name === undefined || status === 405 || typeof json !== 'object') return
  // Where a sandbox allows what the interface does not, for a subscriber on this machine.
  if (name.startsWith('subscriptions.') && /"url":"http:/.test(JSON.stringify(json))) return
  expect(Object.keys(described(name).responses), name).toContain(String(status))
  expect(faults(answerPointer(name, status), json), `${name}, ${status}`).toEqual([])
  if (status >= 300) return
  const {answer: schema, isList, status: success = 200} = OPERATION_DETAILS[name]
  expect(status, name).toBe(success)
  expect(Object.keys(json).sort(), name).toEqual(isList ? ['data', 'meta'] : ['data'])
  // Parsing drops what a schema does not know, so an equal result means that nothing was unknown.
  for (const record of isList ? json.data : [json.data])
    expect((schema as z.ZodType).parse(record), name).toEqual(record)
  return name
}

/** The status and the code of a refusal: `409 offer_already_used`. */
export async function refusalOf(answer: JsonAnswer | Promise<JsonAnswer>): Promise<string> {
  const {status, json} = await answer
  return `${status} ${json.error?.code}`
}

/** A page of the sandbox's own. */
export async function readPage({sandbox, origin}: TestSandbox, path: string, init: RequestInit = {}) {
  const answer = await sandbox.handle(new Request(origin + path, init))
  return {status: answer.status, headers: answer.headers, text: await answer.text()}
}

/** Posts `fields` from a page of the sandbox itself, unless `headers` say otherwise. */
export function sendForm(
  sandbox: TestSandbox,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {origin: sandbox.origin},
) {
  return readPage(sandbox, path, {method: 'POST', headers, body: new URLSearchParams(fields)})
}
