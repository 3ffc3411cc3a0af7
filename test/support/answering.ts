/** API clients without a network: requests are recorded, and answered from a list or by a sandbox in this process. */
import {createSender} from '../../src/api/http/send.js'
import {createApi} from '../../src/api/operations/client.js'
import {type Api, ExchangeError, type Transport} from '../../src/api/types.js'
import {fakeClock} from './clocks.js'
import {startSandbox, TEST_START} from './sandbox.js'

export type Reply = {status?: number; json?: unknown; text?: string} | ExchangeError

/**
 * Returns a client whose requests are answered with `replies` in turn; the last one repeats. `requests` records `METHOD path
 * body`.
 */
export function apiAnswering(...replies: Reply[]): {api: Api; requests: string[]} {
  const requests: string[] = []
  const transport: Transport = async ({method, url, body = ''}) => {
    requests.push([method, url.replace('https://service.test', ''), body].join(' '))
    const reply = replies[Math.min(requests.length, replies.length) - 1] ?? {}
    if (reply instanceof ExchangeError) throw reply
    const {status = 200, json, text = json === undefined ? '' : JSON.stringify(json)} = reply
    return {status, headers: {}, body: Buffer.from(text)}
  }
  return {api: apiOver(transport, 'https://service.test/v1', 't'), requests}
}

/** Returns a client of a sandbox in this process, with the token of a start-up client. */
export async function apiOfSandbox(name: '' | '_readonly' = '') {
  const sandbox = await startSandbox({inProcess: true})
  const {token} = await sandbox.client(name, name ? 'reservations:read tours:read' : undefined)
  const paths: string[] = []
  const transport: Transport = async ({method, url, headers, body}) => {
    paths.push(`${method} ${url.slice(sandbox.baseUrl.length)}`)
    const request = new Request(url, {method, headers, ...(body === undefined ? {} : {body})})
    const answer = await sandbox.sandbox.handle(request)
    const bytes = Buffer.from(await answer.arrayBuffer())
    return {status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes}
  }
  return {api: apiOver(transport, sandbox.baseUrl, token), sandbox, paths}
}

/** Returns a client of `baseUrl` that already has a token and does not wait before retries. */
export function apiOver(
  transport: Transport,
  baseUrl: string,
  access_token: string,
  clock = fakeClock(TEST_START),
  timeoutSeconds = 30,
): Api {
  const token = {access_token, scopes: [], obtainedAt: 0, expiresAt: 9e9}
  return createApi({
    baseUrl,
    sender: createSender({transport, clock, random: () => 0}),
    tokens: {get: async () => token, replace: async () => token},
    clock,
    timeoutSeconds,
  })
}
