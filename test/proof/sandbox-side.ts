/** Asks the local sandbox directly: makes what a cell needs, and tells what became of it. */
import {randomUUID} from 'node:crypto'

type Json = Record<string, never> & {data: never}

const PEOPLE = {
  client_nationality: 'TR',
  contact: {
    ...{name: 'Ayşe', surname: 'Öğüt', email: 'ayse@example.com'},
    ...{phone_country_code: '+90', phone_number: '5321234567'},
  },
  guests: [
    guest('Ayşe', {type: 'TC', number: '10000000146'}, true),
    guest('Can', {type: 'PASSPORT', number: 'U1234567'}, false),
  ],
}

function guest(name: string, identity: {type: string; number: string}, is_lead: boolean) {
  return {
    ...{type: 'ADULT', name, surname: 'Öğüt', birth_date: '1990-02-03', gender: 'MALE', nationality: 'TR'},
    ...{identity, is_lead},
  }
}

export class SandboxSide {
  private token = ''
  private offers: string[] = []

  /** `hear` is told all that goes over the wire. */
  constructor(
    readonly baseUrl: string,
    private readonly hear: (text: string) => void = () => {},
  ) {}

  get origin(): string {
    return new URL(this.baseUrl).origin
  }

  /** An offer for two adults that nobody has used. */
  async offer(): Promise<string> {
    if (this.offers.length === 0) {
      const {offers} = await this.ask<{offers: {offer_id: string; price: {total: string}}[]}>(
        'POST',
        '/hotels/search',
        {
          ...{destination: {type: 'CITY', id: 101}, check_in: '2030-06-01', check_out: '2030-06-02'},
          ...{rooms: [{adults: 2, children_ages: []}], client_nationality: 'TR', currency: 'EUR'},
        },
      )
      const cheapest = offers.sort((a, b) => Number(a.price.total) - Number(b.price.total))
      this.offers = cheapest.slice(0, 10).map(each => each.offer_id)
    }
    return this.offers.shift() ?? ''
  }

  async reservation(mode: 'account' | 'instant'): Promise<string> {
    const made = await this.ask<{reservation_ref: string}>(
      'POST',
      '/reservations/hotel',
      {
        ...{offer_id: await this.offer(), client_reference_id: `made-${randomUUID()}`},
        ...{...PEOPLE, payment: {mode}},
      },
      {'idempotency-key': randomUUID()},
    )
    return made.reservation_ref
  }

  async subscription(): Promise<string> {
    const request = {url: `https://127.0.0.1:1/${randomUUID()}`, events: ['voucher.ready']}
    return (await this.ask<{id: string}>('POST', '/webhooks/subscriptions', request)).id
  }

  /** A delivery of a test event to a subscription that nobody serves. */
  async delivery(): Promise<string> {
    const id = await this.subscription()
    const made = await this.ask<{delivery_id: string}>('POST', `/webhooks/subscriptions/${id}/test`)
    return made.delivery_id
  }

  async hotel(): Promise<string> {
    const offer = await this.offer()
    const {hotel} = await this.ask<{hotel: {hotel_id: string}}>('GET', `/hotels/offers/${offer}`)
    return hotel.hotel_id
  }

  async tour(): Promise<string> {
    const tours = await this.ask<{tour_id: string}[]>('POST', '/tours/search', {
      ...{destination: {type: 'CITY', id: 101}, date: '2030-06-01', currency: 'EUR'},
    })
    return tours[0]?.tour_id ?? ''
  }

  /** How many reservations there are with this reference of the partner's. */
  async reservationsWith(reference: string): Promise<number> {
    const found = await this.ask<unknown[]>('GET', `/reservations?client_reference_id=${reference}`)
    return found.length
  }

  async show<T>(path: string): Promise<T> {
    return this.ask<T>('GET', path)
  }

  private async ask<T>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<T> {
    this.token ||= await this.newToken()
    const answer = await fetch(this.baseUrl + path, {
      method,
      headers: {...headers, authorization: `Bearer ${this.token}`, 'content-type': 'application/json'},
      ...(body ? {body: JSON.stringify(body)} : {}),
    })
    const json = (await answer.json()) as Json
    this.hear(`authorization: Bearer ${this.token}\n${JSON.stringify(json)}`)
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`)
    return json.data
  }

  private async newToken(): Promise<string> {
    const answer = await fetch(`${this.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify({
        ...{grant_type: 'client_credentials', client_id: 'cid_sandbox', client_secret: 'sk_test_sandbox'},
        scope: 'hotels:read tours:read reservations:read reservations:write webhooks:read webhooks:write',
      }),
    })
    const {data} = (await answer.json()) as {data: {access_token: string}}
    return data.access_token
  }
}
