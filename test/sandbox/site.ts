/** The sandbox's own page for tests: reading it, and sending its forms as a browser does. */
import type {TestSandbox} from '../support/sandbox.js'

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
