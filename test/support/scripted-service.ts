/** A small service of our own for tests: tokens, accounts and reservations over real HTTP, with a script of faults. */
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What to do instead of the usual: return true when the answer was given, or the connection dropped. */
export type Script = (request: Received, response: ServerResponse) => Promise<boolean> | boolean

export class ScriptedService {
  readonly received: Received[] = []
  /** Reservations made, each with the offer and the key it was made with. */
  readonly reservations: {ref: string; offer: string; key: string}[] = []
  readonly liveTokens = new Set<string>()
  tokenLifetimeSeconds: number | string | undefined = 7200
  /** How long a token request takes. */
  tokenMilliseconds = 100
  /** Whether a repeat with the same key gets the first answer again. */
  honoursKey = true
  status = 'CONFIRMED'
  script: Script = () => false
  private issued = 0
  private readonly server = createServer((request, response) => void this.handle(request, response))

  static async start(): Promise<ScriptedService> {
    const service = new ScriptedService()
    await new Promise<void>(resolve => service.server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/partner-api/v1`
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  seen(path: string): Received[] {
    return this.received.filter(request => request.path === path)
  }

  /** Forgets what was received, as for a new test; reservations and tokens stay. */
  forget(): void {
    this.received.length = 0
  }

  private async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    message.on('error', () => {})
    response.on('error', () => {})
    const body = await readBody(message)
    const path = (message.url ?? '').replace('/partner-api/v1', '')
    const request = {path, headers: message.headers, body}
    this.received.push(request)
    if (await this.script(request, response)) return
    if (path === '/oauth/token') return this.issueToken(request, response)
    if (path === '/oauth/revoke') return this.revoke(request, response)
    const bearer = (message.headers.authorization ?? '').replace('Bearer ', '')
    if (!this.liveTokens.has(bearer)) return refuse(response, 401, 'token_invalid')
    if (path === '/account') return answer(response, 200, {data: {balance: '1.00'}})
    if (path === '/reservations/hotel') return this.reserve(request, response)
    refuse(response, 404, 'not_found')
  }

  private async issueToken(request: Received, response: ServerResponse): Promise<void> {
    const {scope, client_secret} = JSON.parse(request.body) as {scope: string; client_secret: string}
    await new Promise(resolve => setTimeout(resolve, this.tokenMilliseconds))
    if (client_secret !== 'sk_test_right') return refuse(response, 401, 'invalid_client')
    const token = `token-${++this.issued}-${'x'.repeat(this.issued % 40)}`
    this.liveTokens.add(token)
    const expires_in = this.tokenLifetimeSeconds
    answer(response, 200, {data: {access_token: token, token_type: 'Bearer', expires_in, scope}})
  }

  private revoke(request: Received, response: ServerResponse): void {
    this.liveTokens.delete((JSON.parse(request.body) as {token: string}).token)
    answer(response, 200, {})
  }

  private reserve(request: Received, response: ServerResponse): void {
    const {status, ref} = this.commit(request)
    if (status === 409) refuse(response, 409, 'offer_already_used', ref)
    else answer(response, status, this.reservationOf(ref, request))
  }

  /** Makes the reservation, or finds the earlier one; what `reserve` answers with, for scripts that cut the answer. */
  commit(request: Received): {status: number; ref: string} {
    const offer = (JSON.parse(request.body) as {offer_id: string}).offer_id
    const key = String(request.headers['idempotency-key'])
    const earlier = this.reservations.find(each => each.offer === offer)
    if (earlier) return {status: this.honoursKey && earlier.key === key ? 201 : 409, ref: earlier.ref}
    const ref = `R-${this.reservations.length + 1}`
    this.reservations.push({ref, offer, key})
    return {status: 201, ref}
  }

  reservationOf(ref: string, request: Received): object {
    const {guests} = JSON.parse(request.body) as {guests: unknown}
    return {
      data: {
        reservation_ref: ref,
        status: this.status,
        guests,
        hotel: {name: 'Otel'},
        payment: {mode: 'account'},
      },
    }
  }
}

export function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body))
}

export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  reservation_ref?: string,
): void {
  answer(response, status, {error: {code, message: `because of ${code}`, reservation_ref}})
}

async function readBody(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of message) pieces.push(piece as Buffer)
  } catch {
    // The client was killed; what came is enough.
  }
  return Buffer.concat(pieces).toString()
}
