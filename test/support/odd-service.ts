/** A service that gives tokens, and answers everything else alike: with a refusal, a page, half a document. */
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'

export interface OddAnswer {
  readonly status: number
  readonly type?: string
  readonly body: string | Uint8Array
  /** Whether the connection breaks in the middle of the body. */
  readonly isCut?: boolean
}

export class OddService {
  private constructor(private readonly server: Server) {}

  /** Starts one that answers everything but token requests, and the question whether it is a sandbox, with `odd`. */
  static async start(odd: OddAnswer): Promise<OddService> {
    const server = createServer((request, response) => {
      request.resume()
      const path = request.url ?? ''
      const json = (body: object) =>
        void response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(body))
      if (path === '/_sandbox/clock') {
        response.setHeader('x-local-sandbox', 'bookctl')
        return json({now: '2030-01-01T00:00:00Z'})
      }
      if (path.endsWith('/oauth/token')) return json({data: TOKEN})
      const {status, type = 'application/json', body, isCut} = odd
      const length = Buffer.byteLength(body) + (isCut ? 1000 : 0)
      response.writeHead(status, {'content-type': type, 'content-length': length, 'x-request-id': 'req_odd'})
      if (isCut) response.write(body, () => response.socket?.destroy())
      else response.end(body)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return new OddService(server)
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }
}

const TOKEN = {
  access_token: 'odd-access-token-secret',
  token_type: 'Bearer',
  expires_in: 7200,
  scope:
    'hotels:read tours:read reservations:read reservations:write account:read content:read webhooks:read webhooks:write',
}
