/** The sandbox as the model meets it: real parts, a subscriber over real HTTP, and all of its state read back to compare. */
import {copyFileSync, existsSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createSandbox, type Sandbox} from '../../../src/sandbox/sandbox.js'
import {ADULT, CONTACT, searchRequest, TEST_START} from '../../support/sandbox.js'
import {type Subscriber, signedAt, startSubscriber} from '../../support/subscriber.js'
import type {Answered, ModelService, Wish} from './service.js'

const ORIGIN = 'http://127.0.0.1'
const SCOPES = 'hotels:read reservations:read reservations:write account:read webhooks:read webhooks:write'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any

export interface Answer {
  readonly status: number
  readonly code: string | undefined
  readonly replayed: boolean
  readonly json: Json
}

export class RealService {
  private readonly directory: string | undefined
  private sandbox: Sandbox
  private subscriber: Subscriber | undefined
  private readonly secrets = new Map<string, string>()
  private token = 'none yet'
  private starts = 0
  receives = true

  /** On disk it can be restarted; in memory it is quicker. */
  constructor(
    readonly isOnDisk: boolean,
    readonly isPoor: boolean,
  ) {
    this.directory = isOnDisk ? mkdtempSync(join(tmpdir(), 'bookctl-model-')) : undefined
    this.sandbox = this.start()
  }

  private start(): Sandbox {
    const sandbox = createSandbox({database: this.path, clock: () => TEST_START, allowHttpLoopback: true})
    sandbox.listenAt(ORIGIN)
    return sandbox
  }

  /** As a new process finds the files. Not in their place: SQLite gives its lock back with the process alone. */
  restart(): void {
    this.sandbox.close()
    const before = this.path
    this.starts += 1
    for (const side of ['', '-wal'])
      if (existsSync(before + side)) copyFileSync(before + side, this.path + side)
    this.sandbox = this.start()
  }

  private get path(): string {
    return this.directory === undefined ? ':memory:' : join(this.directory, `sandbox-${this.starts}.db`)
  }

  async close(): Promise<void> {
    this.sandbox.close()
    await this.subscriber?.close()
    if (this.directory !== undefined) rmSync(this.directory, {recursive: true, force: true})
  }

  async control(method: string, path: string, body?: object): Promise<Answer> {
    return this.ask(method, `/_sandbox${path}`, body, {})
  }

  /** With the token; obtaining one is `renew`'s. */
  call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const all = {...headers, authorization: `Bearer ${this.token}`}
    return this.ask(method, `/partner-api/v1${path}`, body, all)
  }

  private async ask(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const init: RequestInit = {method, headers: {...headers, 'content-type': 'application/json'}}
    if (body) init.body = JSON.stringify(body)
    const answer = await this.sandbox.handle(new Request(ORIGIN + path, init))
    const json = (await answer.json()) as Json
    const replayed = answer.headers.get('idempotent-replayed') === 'true'
    return {status: answer.status, code: json.error?.code, replayed, json}
  }

  async renew(): Promise<void> {
    const name = this.isPoor ? '_poor' : ''
    const {json} = await this.ask(
      'POST',
      '/partner-api/v1/oauth/token',
      {
        ...{grant_type: 'client_credentials', client_id: `cid_sandbox${name}`, scope: SCOPES},
        client_secret: `sk_test_sandbox${name}`,
      },
      {},
    )
    this.token = json.data.access_token
  }

  async revoke(): Promise<number> {
    return (await this.ask('POST', '/partner-api/v1/oauth/revoke', {token: this.token}, {})).status
  }

  /** Three days ahead, so that what cancelling costs changes while time moves on. */
  search(now: number): Promise<Answer> {
    const day = (days: number) => iso(now + days * 86_400).slice(0, 10)
    return this.call('POST', '/hotels/search', searchRequest({check_in: day(3), check_out: day(5)}))
  }

  async reserve({offer, key, reference, mode, mistake}: Wish): Promise<Answered> {
    const guest = mistake === 'invalid_identity_number' ? {identity: {type: 'TC', number: '10000000147'}} : {}
    const guests = [
      {...ADULT, ...guest},
      {...ADULT, name: 'Can', is_lead: false},
    ]
    const body = {
      ...{offer_id: offer, client_reference_id: reference, contact: CONTACT, payment: {mode}},
      client_nationality: mistake === 'nationality_mismatch' ? 'DE' : 'TR',
      guests: mistake === 'guest_count_mismatch' ? guests.slice(0, 1) : guests,
    }
    const {status, code, replayed, json} = await this.call('POST', '/reservations/hotel', body, {
      'idempotency-key': key,
    })
    return {status, code, replayed, ref: json.data?.reservation_ref ?? json.error?.reservation_ref}
  }

  async subscribe(types: readonly string[]): Promise<Answer> {
    this.subscriber ??= await startSubscriber(answer => {
      answer.writeHead(this.receives ? 200 : 500).end()
    })
    const path = `/${this.secrets.size}`
    const answer = await this.call('POST', '/webhooks/subscriptions', {
      url: this.subscriber.origin + path,
      events: types,
    })
    if (answer.status === 201) this.secrets.set(path, answer.json.data.secret)
    return answer
  }

  /** Everything the model knows, as the sandbox has it; the difference, or nothing. */
  async compare(model: ModelService): Promise<string[]> {
    const wrong: string[] = []
    const differ = (what: string, real: unknown, expected: unknown) => {
      const [a, b] = [JSON.stringify(real), JSON.stringify(expected)]
      if (a !== b) wrong.push(`${what}: the sandbox has ${a}, the model ${b}`)
    }
    const {json: clock} = await this.control('GET', '/clock')
    differ('time', Date.parse(clock.now) / 1000, model.now)
    const {json: account} = await this.call('GET', '/account')
    differ('balance', account.data.balance, (model.balance / 100).toFixed(2))
    const {json: list} = await this.call('GET', '/reservations?limit=100')
    const reservations = (list.data as Json[]).map(
      each => `${each.reservation_ref} ${each.status} ${each.payment.status}`,
    )
    const expected = [...model.reservations.values()].map(
      each => `${each.ref} ${each.status} ${each.payment}`,
    )
    differ('reservations', reservations.sort(), expected.sort())
    const {json: events} = await this.control('GET', '/events')
    const named = (events.data as Json[]).map(each => ({...each, text: textOf(each)}))
    differ(
      'events',
      named.map(({text}) => text).sort(),
      model.events.map(({text, at}) => `${text} ${iso(at)}`).sort(),
    )
    const {json: subscriptions} = await this.call('GET', '/webhooks/subscriptions?limit=100')
    const active = (subscriptions.data as Json[]).map(({id, is_active}) => `${id} ${is_active}`)
    differ(
      'subscriptions',
      active.sort(),
      [...model.subscriptions].map(([id, each]) => `${id} ${each.active}`).sort(),
    )
    wrong.push(...(await this.compareDeliveries(model, new Map(named.map(({id, text}) => [id, text])))))
    wrong.push(...this.badSignatures())
    return wrong
  }

  private async compareDeliveries(
    model: ModelService,
    texts: ReadonlyMap<string, string>,
  ): Promise<string[]> {
    const {json} = await this.control('GET', '/deliveries')
    const lives = (json.data as Json[]).filter(each => model.subscriptions.has(each.subscription_id))
    const real = lives.map(each =>
      [
        each.subscription_id,
        texts.get(each.event_id),
        each.status,
        ...(each.attempts as Json[]).map(({at, error}) => `${iso(Date.parse(at) / 1000)} ${error === null}`),
      ].join(' '),
    )
    const all = model.events.flatMap(event => event.deliveries.map(delivery => ({event, delivery})))
    const expected = all.map(({event, delivery}) =>
      [
        delivery.subscription,
        `${event.text} ${iso(event.at)}`,
        delivery.status,
        ...delivery.attempts.map(({at, ok}) => `${iso(at)} ${ok}`),
      ].join(' '),
    )
    real.sort()
    expected.sort()
    return real.join('\n') === expected.join('\n')
      ? []
      : [`deliveries: the sandbox has\n${real.join('\n')}\nthe model\n${expected.join('\n')}`]
  }

  private badSignatures(): string[] {
    const received = this.subscriber?.received ?? []
    const bad = received.filter(event => signedAt(event, this.secrets.get(event.path) ?? '') === null)
    return bad.length === 0 ? [] : [`${bad.length} events were not signed with their subscription's secret`]
  }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const textOf = ({type, data, created}: Json) =>
  `${type} ${data.reservation_ref} ${data.status} ${iso(Date.parse(created) / 1000)}`
