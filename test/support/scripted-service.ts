/**
 * A service that tests script, over real HTTP. It follows §1–§9 and shares no code with src/. Options choose its answers where
 * the interface shows none, and `script` can replace any answer. Every request is recorded.
 */
import type {ServerResponse} from 'node:http'
import {type ReceivedEvent, type Subscriber, startSubscriber} from './subscriber.js'

export interface Received {
  readonly method: string
  /** The path relative to the base URL. */
  readonly path: string
  readonly headers: ReceivedEvent['headers']
  readonly body: string
}

/**
 * Answers in place of the service, leaves the request without an answer, or drops the connection. The service answers if the
 * script returns false.
 */
export type Script = (request: Received, response: ServerResponse) => unknown

export const drop: Script = (_, response) => response.destroy()
export const refusing =
  (status: number, code = 'no'): Script =>
  (_, response) =>
    refuse(response, status, code)
export const answering =
  (body: object, status = 201): Script =>
  (_, response) =>
    answer(response, status, body)
export const raw =
  (status: number, body: string | Uint8Array, headers: Record<string, string> = {}): Script =>
  (_, response) =>
    response.writeHead(status, headers).end(body)

export interface ServiceForm {
  readonly envelope?: 'data' | 'named' | 'bare'
  readonly money?: 'string' | 'number'
  /** With `nested`, each rate is some levels down in its hotel. */
  readonly offers?: 'flat' | 'nested'
}

/** The same answer for every request except token requests. */
export interface FixedAnswer {
  readonly status: number
  readonly type?: string
  readonly body: string | Uint8Array
  /** Whether the connection breaks in the middle of the body. */
  readonly isCut?: boolean
}

const BASE = '/partner-api/v1'
/** Any base URL that ends in `v1` is accepted. */
const ANY_BASE = /^\/[\w/-]*?\bv1(?=\/)/
const VOUCHER = '/files/voucher?sig=SIGNEDSIGNEDSIGNED'
/** The smallest PDF that passes the checks. */
export const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
)

export class ScriptedService {
  readonly received: Received[] = []
  readonly reservations: {ref: string; offer: string; key: string}[] = []
  readonly liveTokens = new Set<string>()
  /** Duration of a token request in milliseconds. */
  tokenMilliseconds = 100
  /** Whether a repeat with the same key gets the first answer again. */
  honoursKey = true
  /** Status of a reservation that is paid from the account. */
  status = 'CONFIRMED'
  /** Whether vouchers are ready. */
  hasVouchers = false
  script: Script = () => false
  /** Returns what an answer to a reservation contains besides reference and status. */
  echo: (body: Record<string, unknown>) => object = ({guests}) => ({guests, hotel: {name: 'Otel'}})
  private issued = 0

  private constructor(
    private readonly form: ServiceForm,
    private readonly server: Subscriber,
  ) {}

  static async start(form: ServiceForm = {}): Promise<ScriptedService> {
    const server = await startSubscriber((response, request) => void service.handle(request, response))
    const service = new ScriptedService(form, server)
    return service
  }

  /** Starts a service that grants tokens, looks like a local sandbox, and gives every other request the same answer. */
  static async answering({
    status,
    type = 'application/json',
    body,
    isCut,
  }: FixedAnswer): Promise<ScriptedService> {
    const service = await ScriptedService.start()
    service.tokenMilliseconds = 0
    service.script = ({path}, response) => {
      if (path === '/oauth/token') {
        const {scope} = JSON.parse(service.received.at(-1)?.body ?? '') as {scope: string}
        const token = {access_token: 'odd-access-token-secret', token_type: 'Bearer', expires_in: 7200, scope}
        answer(response, 200, {data: token})
      } else if (path === '/_sandbox/clock') {
        response.setHeader('x-local-sandbox', 'bookctl')
        answer(response, 200, {now: '2030-01-01T00:00:00Z'})
      } else {
        const length = Buffer.byteLength(body) + (isCut ? 1000 : 0)
        response.writeHead(status, {
          'content-type': type,
          'content-length': length,
          'x-request-id': 'req_odd',
        })
        if (isCut) response.write(body, () => response.socket?.destroy())
        else response.end(body)
      }
    }
    return service
  }

  get origin(): string {
    return this.server.origin
  }

  get baseUrl(): string {
    return this.origin + BASE
  }

  /** The environment that makes commands use this service. */
  get env(): Record<string, string> {
    const [BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET] = ['cid_foreign', 'sk_test_right']
    return {BOOKCTL_BASE_URL: this.baseUrl, BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET}
  }

  close(): Promise<void> {
    return this.server.close()
  }

  seen(path: string): Received[] {
    return this.received.filter(request => request.path === path)
  }

  /** Uses `script` for requests to `path` with any query, and no script for other requests. */
  at(path: string, script: Script): void {
    this.script = (request, response) => request.path.split('?')[0] === path && script(request, response)
  }

  /** Forgets the recorded requests. Reservations and tokens stay. */
  forget(): void {
    this.received.length = 0
  }

  private async handle(event: ReceivedEvent, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const {method, path, headers, body} = event
    const request = {method, path: path.replace(ANY_BASE, ''), headers, body: body.toString()}
    this.received.push(request)
    if ((await this.script(request, response)) === false) await this.answer(request, response)
  }

  private async answer(request: Received, response: ServerResponse): Promise<void> {
    const {method, path, headers, body} = request
    if (path === '/oauth/token') return this.issueToken(request, response)
    if (path === '/oauth/revoke') {
      this.liveTokens.delete((JSON.parse(body) as {token: string}).token)
      return void response.writeHead(204).end()
    }
    if (path === VOUCHER) return void response.writeHead(200, {'content-type': 'application/pdf'}).end(PDF)
    if (!this.liveTokens.has((headers.authorization ?? '').replace('Bearer ', '')))
      return refuse(response, 401, 'token_invalid')
    if (path === '/account') return this.wrap(response, 'account', {balance: this.money('1.00')})
    if (path === '/hotels/search') return this.search(request, response)
    if (path === '/reservations/hotel') return this.reserve(request, response)
    if (method !== 'GET' || !/^\/reservations\/[^/]+\/voucher$/.test(path))
      return refuse(response, 404, 'not_found')
    if (!this.hasVouchers) return refuse(response, 409, 'reservation_not_confirmed')
    this.wrap(response, 'document', {voucher: {url: this.origin + VOUCHER}})
  }

  private async issueToken({body}: Received, response: ServerResponse): Promise<void> {
    const {scope, client_secret} = JSON.parse(body) as {scope: string; client_secret: string}
    await new Promise(resolve => setTimeout(resolve, this.tokenMilliseconds))
    if (client_secret !== 'sk_test_right') return refuse(response, 401, 'invalid_client')
    const access_token = `token-${++this.issued}-${'x'.repeat(this.issued % 40)}`
    this.liveTokens.add(access_token)
    this.wrap(response, 'token', {access_token, token_type: 'Bearer', expires_in: 7200, scope})
  }

  private search({body}: Received, response: ServerResponse): void {
    const {currency} = JSON.parse(body) as {currency: string}
    const rate = (offer_id: string, amount: string) => {
      const meal = {code: 'BB', name: 'Bed and breakfast'}
      return {offer_id, pricing: {total: this.money(amount), currency}, meal}
    }
    const hotels = [
      {name: 'Pera Foreign', category: {stars: 4}, rates: [rate('off_a', '240.00'), rate('off_b', '310.50')]},
      {name: 'Galata Foreign', category: {stars: 3}, rates: [rate('off_c', '99.90')]},
    ]
    const offers = hotels.flatMap(({name, rates}) => rates.map(each => ({...each, hotel: {name}})))
    if (this.form.offers !== 'nested') this.wrap(response, 'results', {offers})
    else this.wrap(response, 'availability', {page: 1, result: {hotels}})
  }

  private reserve(request: Received, response: ServerResponse): void {
    const {status, ref} = this.commit(request)
    if (status === 409) refuse(response, 409, 'offer_already_used', ref)
    else this.wrap(response, 'booking', this.recordOf(ref, request), status)
  }

  /** Makes the reservation, or finds the earlier one. Scripts that cut the answer use it. */
  commit(request: Received): {status: number; ref: string} {
    const offer = (JSON.parse(request.body) as {offer_id: string}).offer_id
    const key = String(request.headers['idempotency-key'])
    const earlier = this.reservations.find(each => each.offer === offer)
    if (earlier) return {status: this.honoursKey && earlier.key === key ? 201 : 409, ref: earlier.ref}
    const ref = `R-${this.reservations.length + 1}`
    this.reservations.push({ref, offer, key})
    return {status: 201, ref}
  }

  private recordOf(reservation_ref: string, {body}: Received): object {
    const sent = JSON.parse(body) as {payment?: {mode?: string}}
    const isInstant = sent.payment?.mode === 'instant'
    const payment = isInstant ? {mode: 'instant', url: `${this.origin}/pay/here`} : {mode: 'account'}
    const status = isInstant ? 'PENDING_PAYMENT' : this.status
    return {reservation_ref, status, payment, ...this.echo(sent)}
  }

  private money(amount: string): string | number {
    return this.form.money === 'number' ? Number(amount) : amount
  }

  private wrap(response: ServerResponse, name: string, record: object, status = 200): void {
    const forms = {data: {data: record}, named: {data: {[name]: record}}, bare: record}
    answer(response, status, forms[this.form.envelope ?? 'data'])
  }
}

export function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body))
}

export function refuse(response: ServerResponse, status: number, code: string, reservation_ref?: string) {
  answer(response, status, {error: {code, message: `because of ${code}`, reservation_ref}})
}
