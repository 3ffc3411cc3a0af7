/** Shared by the parts: direct access to the local sandbox, a home whose requests go through a wire, and common checks. */
import {randomUUID} from 'node:crypto'
import {readdirSync, readFileSync} from 'node:fs'
import {join, relative} from 'node:path'
import {gunzipSync} from 'node:zlib'
import {unzipSync} from 'fflate'
import {tokenClientOf} from '../../../src/api/auth/tokens.js'
import {openState, type State} from '../../../src/state/state.js'
import {type Finished, type RunOptions, Home as TestHome} from '../../support/bookctl.js'
import {ADULT, connectTo, reservationRequest, type SandboxClient} from '../../support/sandbox.js'
import {GUESTS} from '../../support/stay.js'
import {replyBytes, Wire, type WireFault, type WireOptions} from '../../support/wire.js'

export const CREDENTIALS = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}
/** Values that identify the guests in the commands. */
export const PEOPLE = ['10000000146', 'U1234567', '5321234567']

const STAY = {check_in: '2030-06-01', check_out: '2030-06-02'}
const PASSPORT = {type: 'PASSPORT', number: 'U1234567'}
export const TWO = [ADULT, {...ADULT, name: 'Can', identity: PASSPORT, is_lead: false}]

/** Returns the arguments that book an offer for two. */
export const booking = (offer = '', more: readonly string[] = [], pay = 'account') => [
  ...['reserve', offer, ...GUESTS, '--nationality', 'TR', '--pay', pay, ...more],
]

export interface Offer {
  readonly offer_id: string
  readonly price: {readonly total: string}
}

/** Direct access to the local sandbox: creates what a cell needs, and shows the result. */
export class Side {
  private client: Promise<SandboxClient> | undefined
  private found: Offer[] = []

  /** `hear` is called with everything that goes over the wire. */
  constructor(
    readonly origin: string,
    private readonly hear: (text: string) => void = () => {},
  ) {}

  get baseUrl(): string {
    return `${this.origin}/partner-api/v1`
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async call<T = any>(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<T> {
    this.client ??= connectTo(this.origin)
    const {token, call} = await this.client
    const {status, json} = await call(method, path, body, headers)
    this.hear(`authorization: Bearer ${token}\n${JSON.stringify(json)}`)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    return json.data
  }

  // biome-ignore lint/suspicious/noExplicitAny: records of every shape
  show<T = any>(path: string): Promise<T> {
    return this.call('GET', path)
  }

  /** Returns unused offers for two adults, cheapest first. */
  async offers(count: number): Promise<Offer[]> {
    this.client ??= connectTo(this.origin)
    while (this.found.length < count) {
      const offers: Offer[] = await (await this.client).search(STAY)
      this.found.push(...offers.sort((a, b) => Number(a.price.total) - Number(b.price.total)).slice(0, 10))
    }
    return this.found.splice(0, count)
  }

  async offer(): Promise<string> {
    return (await this.offers(1))[0]?.offer_id ?? ''
  }

  /** Makes a reservation and returns the reference. */
  async reservation(mode: 'account' | 'instant' = 'account'): Promise<string> {
    const request = reservationRequest(await this.offer(), {guests: TWO, payment: {mode}})
    const key = {'idempotency-key': randomUUID()}
    const path = '/reservations/hotel'
    return (await this.call<{reservation_ref: string}>('POST', path, request, key)).reservation_ref
  }

  // biome-ignore lint/suspicious/noExplicitAny: reservations as they come
  reservations(reference?: string): Promise<any[]> {
    return this.show(`/reservations?limit=200${reference ? `&client_reference_id=${reference}` : ''}`)
  }

  async subscription(): Promise<string> {
    const request = {url: `https://127.0.0.1:1/${randomUUID()}`, events: ['voucher.ready']}
    return (await this.call<{id: string}>('POST', '/webhooks/subscriptions', request)).id
  }

  /** Returns the ids of the subscriptions to `url`. */
  async subscriptionsTo(url: string): Promise<string[]> {
    const all: {id: string; url: string}[] = await this.pages('/webhooks/subscriptions')
    return all.filter(each => each.url === url).map(({id}) => id)
  }

  /** Returns all reservations. */
  // biome-ignore lint/suspicious/noExplicitAny: reservations as they come
  allReservations(): Promise<any[]> {
    return this.pages('/reservations')
  }

  /** Returns what a list has on all its pages. */
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape
  private async pages(path: string): Promise<any[]> {
    this.client ??= connectTo(this.origin)
    const {call} = await this.client
    const found: unknown[] = []
    let after = ''
    do {
      const {json} = await call('GET', `${path}?limit=200${after}`)
      found.push(...json.data)
      after = json.meta.after === null ? '' : `&after=${json.meta.after}`
    } while (after !== '')
    return found
  }

  /** Returns the balance of the account in cents. */
  async balance(): Promise<number> {
    return cents((await this.show<{balance: string}>('/account')).balance)
  }
}

export const cents = (amount: unknown) => Math.round(Number(amount) * 100)

/** Runs every command in a process of its own. */
export class Home extends TestHome {
  /** The commands for the sandbox's controls ignore the variable, but should also go through the wire. */
  override run(argv: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const url = options.env?.BOOKCTL_BASE_URL ?? this.env.BOOKCTL_BASE_URL
    const isControl = argv[0] === 'sandbox' && !['start', 'openapi', 'list'].includes(argv[1] ?? '')
    return this.spawn(isControl && url ? [...argv, '--base-url', url] : argv, options)
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** Opens a home whose requests go to the service through a wire. `env` is set for every command. */
export async function openScene(
  origin: string,
  {env = CREDENTIALS, ...wireOptions}: Omit<WireOptions, 'upstream'> & {env?: Record<string, string>} = {},
) {
  const wire = await Wire.start({...wireOptions, upstream: origin})
  const home = new Home({...env, BOOKCTL_BASE_URL: `${wire.origin}/partner-api/v1`})
  return {
    home,
    wire,
    async close() {
      await wire.close()
      home.remove()
    },
  }
}

/** Matches the request that makes a reservation. */
export const RESERVE = {method: 'POST', path: /\/reservations\/hotel$/}

/** Returns the reservation requests that the wire received. */
export const reservationsAt = ({requests}: Wire) => requests.filter(({path}) => RESERVE.path.test(path))

/** Returns their different keys. */
export const keysAt = (wire: Wire) => [
  ...new Set(reservationsAt(wire).map(({headers}) => headers['idempotency-key'] ?? '')),
]

/** Returns a fault that cuts the connection, after the service has acted if `forwards`, otherwise before. */
export const losing = (forwards: boolean): WireFault => ({forwards, play: () => ['reset']})

/** Returns a fault with a refusal, after the service has acted if `forwards`, otherwise before. */
export function refusing(forwards: boolean, status: number, code: string): WireFault {
  const body = Buffer.from(JSON.stringify({error: {code, message: 'later'}}))
  return {forwards, play: () => [replyBytes({status, headers: {'content-type': 'application/json'}, body})]}
}

/** Stores a token of the sandbox's client that was obtained `agoSeconds` ago. */
export function keepToken(home: Home, access_token: string, agoSeconds: number, scopes: string[]) {
  const obtainedAt = Date.now() / 1000 - agoSeconds
  const token = {access_token, scopes, askedScopes: scopes, obtainedAt, expiresAt: obtainedAt + 7200}
  const {BOOKCTL_CLIENT_ID: clientId, BOOKCTL_CLIENT_SECRET: clientSecret} = CREDENTIALS
  const client = tokenClientOf(home.env.BOOKCTL_BASE_URL ?? '', {clientId, clientSecret})
  return withState(home.configDirectory, ({tokens}) => tokens.put(client, token))
}

/** Opens the state in `directory`, passes it to `work`, and closes it afterwards, even if `work` throws. */
export async function withState<T>(directory: string, work: (state: State) => T | Promise<T>): Promise<T> {
  const state = openState(directory)
  try {
    return await work(state)
  } finally {
    state.close()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape
export function parse(text: string): any {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return undefined
  }
}

/** Formats the end of a run for the report of a failed cell. */
export function shown({exit, stdout, stderr}: Finished): string {
  return `  exit ${exit}: ${stdout.replaceAll(/\s+/g, ' ').slice(0, 700)} | ${stderr.slice(0, 500)}`
}

/** Formats the end of a run in one line: the error, or the result. */
export function ending({exit, stdout}: Finished): string {
  const {code, message, hint} = parse(stdout)?.error ?? {}
  return `exit ${exit}: ${code ? `${code}: ${message} | ${hint}` : stdout.replaceAll(/\s+/g, ' ')}`.slice(
    0,
    400,
  )
}

/** Returns `wrong`, with the end of the run if anything is wrong. */
export const explained = (wrong: readonly string[], finished: Finished): string[] =>
  wrong.length === 0 ? [] : [...wrong, shown(finished)]

interface FileText {
  /** The path relative to the directory. A file in an archive has its name after that of the archive. */
  readonly name: string
  readonly text: string
}

/** Returns the text of every file under `directory`, unpacked and decoded. */
export function textsIn(directory: string): FileText[] {
  const entries = readdirSync(directory, {recursive: true, withFileTypes: true}).filter(each => each.isFile())
  const names = entries.map(({parentPath, name}) => relative(directory, join(parentPath, name)))
  // Newer versions of Node cache our compiled code, which contains the well-known secret of the sandbox.
  const ours = names.filter(name => !name.startsWith('.cache/bookctl/node'))
  return ours.flatMap(name => textsOf(name, readFileSync(join(directory, name))))
}

function textsOf(name: string, bytes: Buffer): FileText[] {
  const begins = (...magic: number[]) => magic.every((byte, index) => bytes[index] === byte)
  if (begins(0x50, 0x4b, 3, 4)) {
    const packed = Object.entries(unzipSync(bytes))
    const inside = packed.flatMap(([inner, part]) => textsOf(`${name}:${inner}`, Buffer.from(part)))
    return [{name, text: bytes.toString('latin1')}, ...inside]
  }
  if (begins(0x1f, 0x8b)) return textsOf(`${name}:gunzipped`, gunzipSync(bytes))
  // All searched texts are ASCII, so in UTF-16 they contain NULs and may begin at an even or an odd byte.
  const wide = bytes.includes(0) ? [bytes, bytes.subarray(1)].map(half => half.toString('utf16le')) : []
  return [{name, text: [bytes.toString('utf8'), ...wide].join('\n')}]
}

/** Returns the files under `directory` that contain one of `texts`, except those whose names match `allowed`. */
export function findTexts(directory: string, texts: readonly string[], allowed = /^$/): string[] {
  const files = textsIn(directory).filter(({name}) => !allowed.test(name))
  return files.flatMap(({name, text}) =>
    texts.filter(each => text.includes(each)).map(each => `${name} has ${each}`),
  )
}
