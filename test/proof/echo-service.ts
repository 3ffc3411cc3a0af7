/**
 * The service of a cell that looks for leaks: a local sandbox behind a server that harvests every secret that passes, and
 * answers the request that is struck with what it was sent, in every way an answer can hold something.
 */
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {type Canaries, PLANTED} from './canaries.js'
import {type Conclusion, CUT, LOST} from './fault.js'

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes as latin1, since a voucher is no text. */
  readonly body: string
}

interface Exchange {
  /** All that the client sent, as it was and in base64. */
  readonly echo: string
  readonly reply: Reply
}

export interface Echo {
  readonly name: string
  /** Whether the request takes effect first. */
  readonly forwards: boolean
  /** Whether the echo is a success: then what it says is the record that was asked for. */
  readonly isResult?: boolean
  /** What a client can conclude from it. */
  readonly conclusion: Conclusion
  answer(response: ServerResponse, exchange: Exchange): void
}

const json = {'content-type': 'application/json'}
/** It also lacks the mark of a local sandbox. */
const NOT_JSON = {kind: 'page', saysJson: true} as const

function refusing(status: number): Echo {
  return {
    name: `refused-${status}`,
    forwards: false,
    conclusion: {kind: 'status', status},
    answer(response, {echo}) {
      const details = [{field: echo.slice(-80), message: echo, rejected_value: echo}]
      const error = {code: `bad ${echo}`, message: echo, details, request_id: echo}
      response.writeHead(status, json).end(JSON.stringify({error}))
    },
  }
}

export const ECHOES: readonly Echo[] = [
  ...[400, 401, 403, 409, 429, 500].map(refusing),
  {
    ...{name: 'page-502', forwards: false, conclusion: {kind: 'status', status: 502}},
    answer: (response, {echo}) =>
      void response
        .writeHead(502, {'content-type': 'text/html'})
        .end(`<title>${echo}</title><h1>${echo}</h1>`),
  },
  {
    ...{name: 'page-200', forwards: false, isResult: true, conclusion: {kind: 'page', saysJson: false}},
    answer: (response, {echo}) =>
      void response.writeHead(200, {'content-type': 'text/html'}).end(`<title>${echo}</title>`),
  },
  {
    ...{name: 'record-200', forwards: false, isResult: true, conclusion: {kind: 'shape', isObject: true}},
    answer: (response, {echo}) =>
      void response.writeHead(200, json).end(JSON.stringify({data: {echo}, echo})),
  },
  {
    ...{name: 'redirect', forwards: false, conclusion: {kind: 'redirect', status: 307, to: 'odd'}},
    answer(response, {echo}) {
      const location = `https://user:${encodeURIComponent(echo)}@elsewhere.example/${encodeURIComponent(echo)}?token=${encodeURIComponent(echo)}`
      response.writeHead(307, {location}).end()
    },
  },
  {
    ...{name: 'headers', forwards: false, conclusion: {kind: 'status', status: 422}},
    answer(response, {echo}) {
      const line = encodeURIComponent(echo)
      const told = {'x-request-id': line, 'www-authenticate': `Bearer scope="${line}"`, 'retry-after': line}
      response.writeHead(422, {...json, ...told, 'set-cookie': `a=${line}`, server: line}).end('{}')
    },
  },
  {
    ...{name: 'not-json', forwards: true, conclusion: NOT_JSON},
    answer: (response, {reply}) => void response.writeHead(200, json).end(`${reply.body.slice(0, -1)},,`),
  },
  {
    // What is quoted of it is its beginning: with everything in it that has a telling name, or none.
    ...{name: 'people-first', forwards: true, conclusion: NOT_JSON},
    answer(response, {reply}) {
      const first = {
        guests: [{identity: {number: 'U1234567', type: 'PASSPORT'}}, {identity: {number: 10000000146}}],
        payment: {url: /\/pay\/[\w.~%-]+/.exec(reply.body)?.[0], card: {number: PLANTED.card}},
        voucher: {url: /\/vouchers\/[\w.~%-]+/.exec(reply.body)?.[0]},
        token: /"access_token":"([^"]+)/.exec(reply.body)?.[1],
      }
      response.writeHead(200, json).end(`${JSON.stringify(first).slice(0, -1)},,${reply.body}`)
    },
  },
  {
    ...{name: 'cut', forwards: true, conclusion: CUT},
    answer(response, {reply}) {
      response.writeHead(200, {...json, 'content-length': reply.body.length + 50})
      response.write(reply.body, () => response.destroy())
    },
  },
  {...{name: 'reset', forwards: true, conclusion: LOST}, answer: response => void response.destroy()},
  {
    ...{name: 'nothing', forwards: true, conclusion: {kind: 'answered'}},
    answer: (response, {reply}) =>
      void response.writeHead(reply.status, reply.headers).end(Buffer.from(reply.body, 'latin1')),
  },
]

export class EchoService {
  strike: {echo: Echo; method: string; path: RegExp} | undefined
  /** How many requests met it. */
  struck = 0
  private readonly server = createServer(
    (request, response) => void this.handle(request, response).catch(() => response.destroy()),
  )

  private constructor(
    private readonly upstream: string,
    private readonly canaries: Canaries,
  ) {}

  static async start(upstream: string, canaries: Canaries): Promise<EchoService> {
    const service = new EchoService(upstream, canaries)
    await new Promise<void>(resolve => service.server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const {method = '', url = ''} = request
    const body = Buffer.concat(parts)
    const headers = Object.entries(request.headers).filter(
      ([name]) => !/^(host|connection|content-l)/.test(name),
    )
    const sent = `${method} ${url}\n${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n${body}`
    this.canaries.harvest(sent)
    const {strike} = this
    const echo = strike?.method === method && strike.path.test(url) ? strike.echo : undefined
    if (echo) this.struck++
    const reply =
      echo?.forwards === false
        ? {status: 200, headers: {}, body: ''}
        : await this.forward(method, url, Object.fromEntries(headers) as Record<string, string>, body)
    this.canaries.harvest(reply.body)
    const card = `card ${PLANTED.card}, 4111 1111 1111 1111`
    const echoed = `${card} ${sent.replaceAll('\n', ' ')} ${Buffer.from(sent).toString('base64')}`
    const exchange = {reply, echo: echoed}
    const plain = ECHOES.at(-1) as Echo
    ;(echo ?? plain).answer(response, exchange)
  }

  private async forward(
    method: string,
    url: string,
    headers: Record<string, string>,
    body: Buffer,
  ): Promise<Reply> {
    const init = body.length > 0 ? {method, headers, body} : {method, headers}
    const answer = await fetch(this.upstream + url, {...init, redirect: 'manual'})
    const bytes = Buffer.from(await answer.arrayBuffer())
    const kept = [...answer.headers].filter(
      ([name]) => !/^(connection|keep-alive|transfer-|content-length)/.test(name),
    )
    // Addresses of the sandbox lead through here.
    const text = bytes.toString('latin1').replaceAll(this.upstream, this.origin)
    return {status: answer.status, headers: Object.fromEntries(kept), body: text}
  }
}
