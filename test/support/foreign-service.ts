/**
 * Another implementation of the interface, sharing no line with src/: it keeps §1–§9 and puts everything the
 * interface does not show in a shape of its own choosing. It remembers every request as it came off the wire.
 */
import {randomUUID} from 'node:crypto'
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Envelope = 'data' | 'named' | 'bare'
export type ErrorForm =
  | 'error.code'
  | 'error string'
  | 'errors[].code'
  | 'errors[].id'
  | 'errors[].type'
  | 'errors[].title'
  | 'code'
  | 'type'
  | 'title'
  | 'html'
  | 'nothing'

export interface ForeignServiceOptions {
  readonly envelope?: Envelope
  readonly errorForm?: ErrorForm
  readonly money?: 'string' | 'number'
  /** Where the offers are: flat under `offers`, or each rate inside its hotel, some levels down. */
  readonly offers?: 'flat' | 'nested'
  readonly confirmedWord?: string
  /** What a second reservation request with a known Idempotency-Key meets. */
  readonly repeatedKey?: 'replays' | 'already used'
}

/** What to do with the next request of a path instead of answering; `commit` decides whether it takes effect. */
export type Trick = {
  path: string
  commit: boolean
  answer: 'drop' | 'half' | number
  headers?: Record<string, string>
}

export class ForeignService {
  readonly requests: SeenRequest[] = []
  readonly reservations: {ref: string; key: string; body: Record<string, unknown>}[] = []
  readonly tricks: Trick[] = []
  readonly tokens = new Set<string>()
  confirmed = true
  /** What an answer to a reservation says besides §2.5, of the request and the reservation made. */
  echo: (body: Record<string, unknown>, ref: string) => object = () => ({})
  tokenLifetimeSeconds: number | string = 7200
  readonly #options: ForeignServiceOptions
  readonly #server: Server

  private constructor(options: ForeignServiceOptions) {
    this.#options = options
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  static async start(options: ForeignServiceOptions = {}): Promise<ForeignService> {
    const service = new ForeignService(options)
    await new Promise<void>(resolve => service.#server.listen(0, '127.0.0.1', resolve))
    service.#server.unref()
    return service
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get baseUrl(): string {
    return `${this.origin}/some/where/v1`
  }

  /** The requests to a path under the base URL, or outside it when it starts with `//`. */
  seen(path: string): SeenRequest[] {
    const full = path.startsWith('//') ? path.slice(1) : `/some/where/v1${path}`
    return this.requests.filter(request => request.path === full)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const path = request.url ?? ''
    this.requests.push({method: request.method ?? '', path, headers: request.headers, body})

    const at = this.tricks.findIndex(trick => path.endsWith(trick.path))
    const trick = at < 0 ? undefined : this.tricks.splice(at, 1)[0]
    if (trick && !trick.commit) return this.#play(trick, response, '{}')
    const answer = this.#answer(request.method ?? '', path, request.headers, body)
    if (trick) return this.#play(trick, response, answer.text)
    response.writeHead(answer.status, {'content-type': answer.type ?? 'application/json', ...answer.headers})
    response.end(answer.bytes ?? answer.text)
  }

  #play(trick: Trick, response: ServerResponse, text: string): void {
    if (trick.answer === 'drop') return void response.socket?.resetAndDestroy()
    if (trick.answer === 'half') {
      response.writeHead(200, {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)})
      response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
      return
    }
    const refusal = this.#refuse(trick.answer, 'tricked')
    response.writeHead(trick.answer, {'content-type': refusal.type ?? 'application/json', ...trick.headers})
    response.end(refusal.text)
  }

  #answer(method: string, path: string, headers: IncomingMessage['headers'], body: string): ForeignAnswer {
    if (path === '/files/voucher?sig=SIGNEDSIGNEDSIGNED')
      return {status: 200, type: 'application/pdf', text: '', bytes: PDF}
    const operation = `${method} ${path.replace('/some/where/v1', '')}`
    if (operation === 'POST /oauth/token') return this.#token(JSON.parse(body) as Record<string, string>)
    if (operation === 'POST /oauth/revoke') {
      this.tokens.delete((JSON.parse(body) as {token: string}).token)
      return {status: 204, text: ''}
    }
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (!token || !this.tokens.has(token)) return this.#refuse(401, 'who_are_you')
    if (operation === 'POST /hotels/search') return this.#search(JSON.parse(body) as {currency: string})
    if (operation === 'POST /reservations/hotel')
      return this.#reserve(headers, JSON.parse(body) as Record<string, unknown>)
    if (operation === 'GET /account')
      return this.#wrap('account', {holder: 'Foreign Travel', balance: this.#money('998.50')})
    const voucher = /^GET \/reservations\/([^/]+)\/voucher$/.exec(operation)
    if (voucher && !this.confirmed) return this.#refuse(409, 'not_yet')
    if (voucher)
      return this.#wrap('document', {voucher: {url: `${this.origin}/files/voucher?sig=SIGNEDSIGNEDSIGNED`}})
    return this.#refuse(404, 'no_such_path')
  }

  #token(request: Record<string, string>): ForeignAnswer {
    if (request.client_secret !== 'sk_test_foreign') return this.#refuse(401, 'bad_credentials')
    const token = `tok-${randomUUID()}`
    this.tokens.add(token)
    return this.#wrap('token', {
      access_token: token,
      token_type: 'Bearer',
      expires_in: this.tokenLifetimeSeconds,
      scope: request.scope,
    })
  }

  #search(request: {currency: string}): ForeignAnswer {
    const rate = (id: string, amount: string) => ({
      offer_id: id,
      pricing: {total: this.#money(amount), currency: request.currency},
      meal: {code: 'BB', name: 'Bed and breakfast'},
    })
    const nested = [
      {name: 'Pera Foreign', category: {stars: 4}, rates: [rate('off_a', '240.00'), rate('off_b', '310.50')]},
      {name: 'Galata Foreign', category: {stars: 3}, rates: [rate('off_c', '99.90')]},
    ]
    const flat = nested.flatMap(hotel => hotel.rates.map(each => ({...each, hotel: {name: hotel.name}})))
    return this.#options.offers === 'nested'
      ? this.#wrap('availability', {page: 1, result: {hotels: nested}})
      : this.#wrap('results', {offers: flat})
  }

  #reserve(headers: IncomingMessage['headers'], body: Record<string, unknown>): ForeignAnswer {
    const key = String(headers['idempotency-key'] ?? '')
    const known = this.reservations.find(each => each.key === key)
    if (known && this.#options.repeatedKey === 'already used') return this.#refuse(409, 'offer_gone')
    if (!known && this.reservations.some(each => each.body.offer_id === body.offer_id)) {
      return this.#refuse(409, 'offer_gone')
    }
    const entry = known ?? {ref: `F${1000 + this.reservations.length}`, key, body}
    if (!known) this.reservations.push(entry)
    const instant = (body.payment as {mode: string}).mode === 'instant'
    return this.#wrap('booking', {
      reservation_ref: entry.ref,
      status: instant ? 'PENDING_PAYMENT' : (this.#options.confirmedWord ?? 'CONFIRMED'),
      ...(instant && {payment: {url: `${this.origin}/pay/here`}}),
      ...this.echo(body, entry.ref),
    })
  }

  #money(amount: string): string | number {
    return this.#options.money === 'number' ? Number(amount) : amount
  }

  #wrap(name: string, record: object): ForeignAnswer {
    const forms = {data: {data: record}, named: {data: {[name]: record}}, bare: record}
    return {status: 200, text: JSON.stringify(forms[this.#options.envelope ?? 'data'])}
  }

  #refuse(status: number, code: string): ForeignAnswer {
    const message = 'The foreign service says no'
    const forms: Record<ErrorForm, unknown> = {
      'error.code': {error: {code, message}},
      'error string': {error: code, error_description: message},
      'errors[].code': {errors: [{code, detail: message}]},
      'errors[].id': {errors: [{id: code, message}]},
      'errors[].type': {errors: [{type: code, message}]},
      'errors[].title': {errors: [{title: code, message}]},
      code: {code, message},
      type: {type: code, message},
      title: {title: code, detail: message},
      html: undefined,
      nothing: undefined,
    }
    const form = this.#options.errorForm ?? 'error.code'
    if (form === 'nothing') return {status, text: ''}
    if (form === 'html')
      return {status, type: 'text/html', text: '<html><title>Oops</title><body>No.</body></html>'}
    return {status, text: JSON.stringify(forms[form])}
  }
}

interface ForeignAnswer {
  readonly status: number
  readonly text: string
  readonly type?: string
  readonly bytes?: Buffer
  readonly headers?: Record<string, string>
}

/** A PDF just large enough to be one. */
export const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
)
