/** The sandbox as the model meets it: real parts, and all of its state read back to compare. */
import {copyFileSync, existsSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {
  ADULT,
  type JsonAnswer,
  reservationRequest,
  type SandboxClient,
  searchRequest,
  startSandbox,
  type TestSandbox,
} from '../../support/sandbox.js'
import type {Answered, ModelService, Wish} from './service.js'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any

const SCOPES = 'hotels:read reservations:read reservations:write account:read'

export type Answer = JsonAnswer & {readonly code: string | undefined}

export class RealService {
  private readonly directory: string | undefined
  private sandbox: TestSandbox | undefined
  private client: SandboxClient | undefined
  private starts = 0

  /** On disk it can be restarted; in memory it is quicker. */
  constructor(
    readonly isOnDisk: boolean,
    readonly isPoor: boolean,
  ) {
    this.directory = isOnDisk ? mkdtempSync(join(tmpdir(), 'bookctl-model-')) : undefined
  }

  /** As a new process finds the files. Not in their place: SQLite gives its lock back with the process alone. */
  async restart(): Promise<void> {
    await this.sandbox?.close()
    this.sandbox = undefined
    const before = this.path
    this.starts += 1
    for (const side of ['', '-wal'])
      if (existsSync(before + side)) copyFileSync(before + side, this.path + side)
  }

  private get path(): string {
    return this.directory === undefined ? ':memory:' : join(this.directory, `sandbox-${this.starts}.db`)
  }

  async close(): Promise<void> {
    await this.sandbox?.close()
    if (this.directory !== undefined) rmSync(this.directory, {recursive: true, force: true})
  }

  private async started(): Promise<TestSandbox> {
    this.sandbox ??= await startSandbox({database: this.path, inProcess: true})
    return this.sandbox
  }

  async control(method: string, path: string, body?: object): Promise<JsonAnswer> {
    return (await this.started()).control(method, `/_sandbox${path}`, body)
  }

  /** With the token; obtaining one is `renew`'s. */
  async call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer> {
    if (!this.client) throw new Error('no token yet')
    const answer = await this.client.call(method, path, body, headers)
    return {...answer, code: answer.json.error?.code}
  }

  async renew(): Promise<void> {
    this.client = await (await this.started()).client(this.isPoor ? '_poor' : '', SCOPES)
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
    const body = reservationRequest(offer, {
      client_reference_id: reference,
      payment: {mode},
      client_nationality: mistake === 'nationality_mismatch' ? 'DE' : 'TR',
      guests: mistake === 'guest_count_mismatch' ? guests.slice(0, 1) : guests,
    })
    const sent = this.call('POST', '/reservations/hotel', body, {'idempotency-key': key})
    const {status, code, headers, json} = await sent
    const replayed = headers.get('idempotent-replayed') === 'true'
    return {status, code, replayed, ref: json.data?.reservation_ref ?? json.error?.reservation_ref}
  }

  /** Everything the model knows, as the sandbox has it; the difference, or nothing. */
  async compare(model: ModelService): Promise<string[]> {
    const list = async (answer: Promise<JsonAnswer>): Promise<Json[]> => (await answer).json.data
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
