/**
 * A home that remembers one secret of every kind, made once and copied for every cell: credentials of a profile, a token,
 * the secret of a subscription, a payment still to be made, a reservation whose outcome is not known (so its guests stand
 * in the journal), a guest kept on purpose, and an event with a voucher's link.
 */
import {cpSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {openState} from '../../src/state/state.js'
import {type Finished, Home} from '../support/bookctl.js'
import {startListening} from '../support/listening.js'
import {SEARCH} from '../support/stay.js'
import {signatureOf} from '../support/webhook-files.js'
import {Canaries, PLANTED} from './canaries.js'
import {ECHOES, EchoService} from './echo-service.js'

export interface KnowingHome {
  readonly directory: string
  readonly canaries: Canaries
  /** Of what it remembers, for commands that take one. */
  readonly eventId: string
  readonly openReference: string
  remove(): void
}

const EVENT_ID = 'evt_canary01'
const OPEN_REFERENCE = 'knowing-open'
const VOUCHER_TOKEN = 'WyJSU1YtS0VQVCJd.keptVoucherToken0123456789abcdef'
const KEPT_PASSPORTS = ['K7654321', 'K7654322', 'K7654323']
const [OPEN_LEAD, OPEN_OTHER, KEPT_GUEST] = KEPT_PASSPORTS
const CONTACT = [
  '--contact',
  'name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
]

/** What every command of a cell finds in its environment; `home` is the directory it runs in. */
export function commonEnvironment(home: string): Record<string, string> {
  return {
    BOOKCTL_WEBHOOK_SECRET: PLANTED.signingSecret,
    HTTPS_PROXY: `http://canary:${PLANTED.proxyPassword}@127.0.0.1:1`,
    NO_PROXY: '127.0.0.1,localhost',
    // What it leaves there is looked at, too.
    TMPDIR: join(home, 'tmp'),
  }
}

/** Makes the files that commands are told of, and what the home remembers. */
export function furnish(home: Home, {directory}: Pick<KnowingHome, 'directory'>): void {
  mkdirSync(join(home.directory, 'tmp'))
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  cpSync(directory, home.configDirectory, {recursive: true, preserveTimestamps: true})
}

/** Makes it at the sandbox of `origin`. */
export async function makeKnowingHome(origin: string): Promise<KnowingHome> {
  const canaries = new Canaries()
  const service = await EchoService.start(origin, canaries)
  const home = new Home({BOOKCTL_BASE_URL: `${service.origin}/partner-api/v1`})
  try {
    writeFileSync(join(home.directory, 'poor.txt'), 'sk_test_sandbox_poor\n')
    await done(home.run(['login', '--client-id', 'cid_sandbox_poor', '--client-secret-file', 'poor.txt']))
    const created = ['webhooks', 'create', '--url', 'https://127.0.0.1:1/kept', '--event', 'voucher.ready']
    await done(home.run(created))
    const found = await done(home.run([...SEARCH, '--json']))
    const [first, second] = JSON.parse(found.stdout).offers as {offer_id: string}[]
    const people = [OPEN_LEAD, OPEN_OTHER].flatMap(passport => ['--guest', guest(passport)])
    const reserve = (offer: string | undefined, reference: string) =>
      home.run([
        ...['reserve', offer ?? '', ...people, ...CONTACT, '--nationality', 'TR', '--pay', 'instant'],
        ...['--client-reference', reference, '--timeout', '2'],
      ])
    await done(reserve(first?.offer_id, 'knowing-paid-later'))
    const reset = ECHOES.find(({name}) => name === 'reset')
    if (reset) service.strike = {echo: reset, method: 'POST', path: /\/reservations\/hotel$/}
    await done(reserve(second?.offer_id, OPEN_REFERENCE), 10)
    keepGuest(home)
    await receiveEvent(home, service.origin)
  } catch (error) {
    home.remove()
    throw error
  } finally {
    await service.close()
  }
  canaries.add(VOUCHER_TOKEN, 'voucher link')
  for (const passport of KEPT_PASSPORTS) canaries.add(passport, 'kept identity number')
  return {
    directory: home.configDirectory,
    canaries: canaries
      .rename('payment address', 'kept payment address')
      .rename('voucher link', 'kept voucher link'),
    eventId: EVENT_ID,
    openReference: OPEN_REFERENCE,
    remove: () => home.remove(),
  }
}

const guest = (passport = '') =>
  `name=Can,surname=Öğüt,birth_date=1988-07-12,gender=MALE,passport=${passport}`

/** What `run` came to, which must be that. */
export async function done(run: Promise<Finished>, exit = 0): Promise<Finished> {
  const finished = await run
  if (finished.exit !== exit) throw new Error(`it ended with ${finished.exit}: ${finished.stderr}`)
  return finished
}

function keepGuest(home: Home): void {
  const state = openState(home.configDirectory)
  const {baseUrl, clientId} = state.tokens.listAll()[0]?.client ?? {baseUrl: '', clientId: ''}
  state.people.forClient({baseUrl, clientId}).keep(
    {
      guests: [
        {
          ...{name: 'Efe', surname: 'Öğüt', birth_date: '1991-01-01', gender: 'MALE', nationality: 'TR'},
          identity: {type: 'PASSPORT', number: KEPT_GUEST ?? ''},
        },
      ],
    },
    1_795_000_000,
  )
  state.close()
}

async function receiveEvent(home: Home, origin: string): Promise<void> {
  const env = {BOOKCTL_WEBHOOK_SECRET: PLANTED.signingSecret}
  const listening = await startListening(home, ['--exit-after', '1'], {env})
  const voucher = {url: `${origin}/vouchers/${VOUCHER_TOKEN}`, expires_at: '2030-01-01T00:00:00Z'}
  const data = {object: 'reservation', reservation_ref: 'RSV-KEPT', status: 'CONFIRMED', voucher}
  const body = JSON.stringify({
    ...{id: EVENT_ID, type: 'voucher.ready', created: new Date().toISOString(), data},
  })
  const signature = signatureOf(body, Math.floor(Date.now() / 1000), PLANTED.signingSecret)
  const headers = {'x-service-signature': signature, 'x-service-event-id': EVENT_ID}
  await fetch(listening.url, {method: 'POST', headers, body})
  await done(listening.ended)
}
