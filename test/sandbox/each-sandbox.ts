/**
 * Shared by the tests of the sandbox: a new sandbox for each test, whose answers are all checked; the text of refusals; and pages
 * with forms.
 */
import {afterEach, beforeEach, expect} from 'vitest'
import type {z} from 'zod'
import {OPERATION_DETAILS} from '../../src/contract/operation-details.js'
import {operationAt, SANDBOX_OPERATIONS, type SandboxOperation} from '../../src/contract/operations.js'
import {answerPointer, described, schemaCheck} from '../support/description.js'
import {
  type JsonAnswer,
  type SandboxClient,
  startSandbox,
  type TestSandbox,
  type TestSandboxOptions,
} from '../support/sandbox.js'

/**
 * Starts a sandbox before each test of the file, by default in process, and closes it after the test. The objects returned are
 * the same for all tests. Every answer of the API is checked by `checkAnswer`.
 */
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
 * Checks a JSON answer against the description and the contract. Fails if its status is not described, its body is invalid by the
 * schema, or a key is unknown. Returns the operation if it succeeded.
 */
export function checkAnswer(method: string, path: string, answer: JsonAnswer): SandboxOperation | undefined {
  const {status, headers, json} = answer
  const requestId = headers.get('x-request-id')
  expect(requestId, path).toBeTruthy()
  if (json.error && !headers.has('idempotent-replayed')) expect(json.error.request_id, path).toBe(requestId)
  const found = operationAt(method, path.replace(/\?.*/, ''))
  const name = SANDBOX_OPERATIONS.find(each => each === found)
  if (name === undefined || status === 405 || typeof json !== 'object') return
  // The sandbox allows http URLs for subscribers on this machine, which the interface does not.
  if (name.startsWith('subscriptions.') && /"url":"http:/.test(JSON.stringify(json))) return
  expect(Object.keys(described(name).responses), name).toContain(String(status))
  expect(faults(answerPointer(name, status), json), `${name}, ${status}`).toEqual([])
  if (status >= 300) return
  const {answer: schema, isList, status: success = 200} = OPERATION_DETAILS[name]
  expect(status, name).toBe(success)
  expect(Object.keys(json).sort(), name).toEqual(isList ? ['data', 'meta'] : ['data'])
  // Parsing drops unknown keys, so an equal result proves that there were none.
  for (const record of isList ? json.data : [json.data])
    expect((schema as z.ZodType).parse(record), name).toEqual(record)
  return name
}

/** Returns status and code of a refusal, for example `409 offer_already_used`. */
export async function refusalOf(answer: JsonAnswer | Promise<JsonAnswer>): Promise<string> {
  const {status, json} = await answer
  return `${status} ${json.error?.code}`
}

/** Fetches a page of the dashboard. */
export async function readPage({sandbox, origin}: TestSandbox, path: string, init: RequestInit = {}) {
  const answer = await sandbox.handle(new Request(origin + path, init))
  return {status: answer.status, headers: answer.headers, text: await answer.text()}
}

/** Posts a form as a browser on a page of the sandbox would, unless `headers` says otherwise. */
export function sendForm(
  sandbox: TestSandbox,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {origin: sandbox.origin},
) {
  return readPage(sandbox, path, {method: 'POST', headers, body: new URLSearchParams(fields)})
}
