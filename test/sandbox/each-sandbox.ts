/** A sandbox for each test of a file, what tests say of its refusals, and its own pages with their forms. */
import {afterEach, beforeEach} from 'vitest'
import {
  type JsonAnswer,
  type SandboxClient,
  startSandbox,
  type TestSandbox,
  type TestSandboxOptions,
} from '../support/sandbox.js'

/** Starts a sandbox before each test of the file and closes it after; by default in process. Both objects stay the same. */
export function sandboxForEachTest(options: TestSandboxOptions = {inProcess: true}): {
  sandbox: TestSandbox
  client: SandboxClient
} {
  const sandbox = {} as TestSandbox
  const client = {} as SandboxClient
  beforeEach(async () => {
    Object.assign(sandbox, await startSandbox(options))
    Object.assign(client, await sandbox.client())
  })
  afterEach(() => sandbox.close())
  return {sandbox, client}
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
