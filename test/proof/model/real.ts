/** The sandbox as the model meets it: real parts, and all of its state read back to compare. */
import {copyFileSync, existsSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createSandbox, type Sandbox} from '../../../src/sandbox/sandbox.js'
import {ADULT, CONTACT, searchRequest, TEST_START} from '../../support/sandbox.js'
import type {Answered, ModelService, Wish} from './service.js'

const ORIGIN = 'http://127.0.0.1'
const SCOPES = 'hotels:read reservations:read reservations:write account:read'

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
  private token = 'none yet'
  private starts = 0

  /** On disk it can be restarted; in memory it is quicker. */
  constructor(
    readonly isOnDisk: boolean,
    readonly isPoor: boolean,
  ) {
    this.directory = isOnDisk ? mkdtempSync(join(tmpdir(), 'bookctl-model-')) : undefined
    this.sandbox = this.start()
  }

  private start(): Sandbox {
    const sandbox = createSandbox({database: this.path, clock: () => TEST_START})
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

  close(): void {
    this.sandbox.close()
    if (this.directory !== undefined) rmSync(this.directory, {recursive: true, force: true})
  }

  async control(method: string, path: string, body?: object): Promise<Answer> {
    return this.ask(method, `/_sandbox${path}`, body)
  }

  /** With the token; obtaining one is `renew`'s. */
  call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const all = {...headers, authorization: `Bearer ${this.token}`}
    return this.ask(method, `/partner-api/v1${path}`, body, all)
  }

  private async ask(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
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
    const client = {client_id: `cid_sandbox${name}`, client_secret: `sk_test_sandbox${name}`}
    const body = {grant_type: 'client_credentials', scope: SCOPES, ...client}
    const {json} = await this.ask('POST', '/partner-api/v1/oauth/token', body)
    this.token = json.data.access_token
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
      offer_id: offer,
      client_reference_id: reference,
      contact: CONTACT,
      payment: {mode},
      client_nationality: mistake === 'nationality_mismatch' ? 'DE' : 'TR',
      guests: mistake === 'guest_count_mismatch' ? guests.slice(0, 1) : guests,
    }
    const {status, code, replayed, json} = await this.call('POST', '/reservations/hotel', body, {
      'idempotency-key': key,
    })
    return {status, code, replayed, ref: json.data?.reservation_ref ?? json.error?.reservation_ref}
  }

  /** Everything the model knows, as the sandbox has it; the difference, or nothing. */
  async compare(model: ModelService): Promise<string[]> {
    const list = async (answer: Promise<Answer>): Promise<Json[]> => (await answer).json.data
    const {json: clock} = await this.control('GET', '/clock')
    const {json: account} = await this.call('GET', '/account')
    const reservations = await list(this.call('GET', '/reservations?limit=100'))
    const events = await list(this.control('GET', '/events'))
    const pairs: Readonly<Record<string, readonly [real: unknown[], expected: unknown[]]>> = {
      time: [[iso(Date.parse(clock.now) / 1000)], [iso(model.now)]],
      balance: [[account.data.balance], [(model.balance / 100).toFixed(2)]],
      reservations: [
        reservations.map(each => `${each.reservation_ref} ${each.status} ${each.payment.status}`),
        [...model.reservations.values()].map(each => `${each.ref} ${each.status} ${each.payment}`),
      ],
      events: [events.map(textOf), model.events.map(({text, at}) => `${text} ${iso(at)}`)],
    }
    return Object.entries(pairs).flatMap(([what, [real, expected]]) => {
      const [a, b] = [real.sort().join('\n'), expected.sort().join('\n')]
      return a === b ? [] : [`${what}: the sandbox has\n${a}\nthe model\n${b}`]
    })
  }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const textOf = ({type, data, created}: Json) =>
  `${type} ${data.reservation_ref} ${data.status} ${iso(Date.parse(created) / 1000)}`
