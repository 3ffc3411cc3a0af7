/**
 * Races: fifty processes use the same files and the same service at the same time. They make one token request, make one
 * reservation for each consent, and lose no setting, secret, offer or event. Tokens and reservations are in this file, stored
 * data is in files.ts.
 */
import {randomUUID} from 'node:crypto'
import {join} from 'node:path'
import type {Finished} from '../../support/bookctl.js'
import type {WireFault} from '../../support/wire.js'
import {
  type CrowdOptions,
  documents,
  type Ground,
  openGround,
  type Race,
  startHanging,
  unless,
  wrongEnds,
} from '../shared/crowd.js'
import {openSandbox} from '../shared/home.js'
import {type Own, part} from '../shared/part.js'
import {
  booking,
  cents,
  keepToken,
  losing,
  RESERVE,
  refusing,
  reservationsAt,
  withState,
} from '../shared/scene.js'
import {FILE_RACES} from './files.js'

const TOKEN = '/oauth/token'
export const TIME_LIMIT_SECONDS = 60
export const ACCOUNT = ['account', '--json', '--timeout', String(TIME_LIMIT_SECONDS)]
export const isToken = {method: 'POST', path: /\/oauth\/token$/}

const all = (argv: readonly string[]) => (ground: Ground, options?: CrowdOptions) =>
  ground.crowd(
    ground.each(() => argv),
    options,
  )

const atMost = (most: number, count: number, what: string) =>
  count >= 1 && count <= most ? [] : [`${count} ${what}, not 1 to ${most}`]

export async function allAsk(ground: Ground, most: number, options?: CrowdOptions): Promise<string[]> {
  const finished = await all(ACCOUNT)(ground, options)
  return [...wrongEnds(finished, [0]), ...atMost(most, ground.sent(TOKEN).length, 'token requests')]
}

/** All processes fail with `exit`, after the requests of only one. Once the service works again, the command succeeds. */
const allFail =
  (fault: WireFault, exit: number, most: number): Race =>
  async ground => {
    ground.wire.strike = {fault, ...isToken}
    // The gate is at the lock, so that every process waits there before any of them has sent a request.
    const at = join(ground.home.configDirectory, 'locks')
    const finished = await all(ACCOUNT)(ground, {at})
    ground.wire.strike = undefined
    const again = await ground.crowd([ACCOUNT])
    const asked = ground.sent(TOKEN).length
    return [
      ...wrongEnds(finished, [exit]),
      ...wrongEnds(again, [0]),
      ...atMost(most + 1, asked, 'token requests'),
    ]
  }

const TOKEN_RACES: Record<string, Race> = {
  'tokens: none yet': ground => allAsk(ground, 1),
  async 'tokens: expired'(ground) {
    await keepToken(ground.home, 'at', 7300, ['account:read'])
    return allAsk(ground, 1)
  },
  async 'tokens: revoked meanwhile'(ground) {
    await ground.home.run(ACCOUNT)
    const [kept] = await withState(ground.home.configDirectory, ({tokens}) => tokens.listAll())
    await ground.side.call('POST', '/oauth/revoke', {token: kept?.token.access_token})
    ground.wire.requests.length = 0
    const wrong = await allAsk(ground, 1)
    return [...wrong, ...atMost(2 * ground.count, ground.sent('/account').length, 'calls')]
  },
  async 'tokens: the process that asks is killed'(ground) {
    const first = await startHanging(ground, ACCOUNT, {forwards: false, ...isToken})
    const wrong = await allAsk(ground, 2, {onGo: first.kill})
    return [...wrong, ...unless('SIGKILL', (await first.ended).exit, 'ended the first')]
  },
  'tokens: the service is down': allFail(refusing(false, 503, 'service_unavailable'), 6, 4),
  'tokens: the secret is wrong': allFail(refusing(false, 401, 'invalid_client'), 4, 1),
  'tokens: the connection is cut': allFail(losing(false), 7, 4),
}

const reserving = (offer: string | undefined, more: readonly string[] = []) =>
  booking(offer, ['--json', '--timeout', '120', ...more])

/** Reserves with a reference and loses the answer. Returns the total of the offer. */
async function loseAnswer({side, home, wire}: Ground, reference: string) {
  const [offer] = await side.offers(1)
  wire.strike = {fault: losing(true), ...RESERVE}
  const first = await home.run(reserving(offer?.offer_id, ['--client-reference', reference]))
  wire.strike = undefined
  wire.requests.length = 0
  return {total: offer?.price.total, wrong: wrongEnds([first], [10])}
}

const refsOf = (finished: readonly Finished[]) =>
  new Set(documents(finished).map(({reservation}) => reservation?.reservation_ref))

/** Checks that there is one reservation, paid once, and that all of `finished` name it. */
async function checkOne({side}: Ground, finished: readonly Finished[], balance: number, total = '') {
  const made = await side.reservations()
  const named = refsOf(finished)
  return [
    ...wrongEnds(finished, [0]),
    ...unless(1, made.length, 'reservations'),
    ...unless(true, named.size === 1 && named.has(made[0]?.reservation_ref), 'that all name it'),
    ...unless(cents(total), balance - (await side.balance()), 'cents paid'),
  ]
}

export const sameRequest =
  (extra: readonly string[] = []): Race =>
  async ground => {
    const balance = await ground.side.balance()
    const [offer] = await ground.side.offers(1)
    const finished = await all(reserving(offer?.offer_id, extra))(ground)
    return [
      ...(await checkOne(ground, finished, balance, offer?.price.total)),
      ...unless(1, reservationsAt(ground.wire).length, 'requests to reserve'),
      ...unless(1, ground.sent(TOKEN).length, 'token requests'),
    ]
  }

/** One of many intents wins. The others are refused before they send a request. */
async function oneWins(ground: Ground, members: readonly (readonly string[])[], codes: readonly string[]) {
  const finished = await ground.crowd(members)
  const refused = documents(finished).flatMap(({error}) => (error ? [String(error.code)] : []))
  return [
    ...wrongEnds(finished, [0, 2]),
    ...unless(1, finished.filter(({exit}) => exit === 0).length, 'say that they reserved'),
    ...unless(1, (await ground.side.reservations()).length, 'reservations'),
    ...unless(1, reservationsAt(ground.wire).length, 'requests to reserve'),
    ...[...new Set(refused)].flatMap(code => unless(codes, code, 'is why one was refused')),
  ]
}

const otherOffers =
  (extra: readonly string[], codes: readonly string[]): Race =>
  async ground => {
    const offers = await ground.side.offers(ground.count)
    const members = offers.map(({offer_id}) => reserving(offer_id, extra))
    return oneWins(ground, members, codes)
  }

const letters = (index: number) => `${'abcdefghij'[index % 10]}${'abcdefghij'[Math.floor(index / 10)]}`

const RESERVE_RACES: Record<string, Race> = {
  'reserve: the same request': sameRequest(),
  'reserve: the same request with reference and key': sameRequest([
    ...['--client-reference', 'race-1', '--idempotency-key', randomUUID()],
  ]),
  async 'reserve: another offer each'(ground) {
    const {side, count} = ground
    const balance = await side.balance()
    const offers = await side.offers(count)
    const finished = await ground.crowd(offers.map(({offer_id}) => reserving(offer_id)))
    const due = offers.reduce((sum, {price}) => sum + cents(price.total), 0)
    return [
      ...wrongEnds(finished, [0]),
      ...unless(count, (await side.reservations()).length, 'reservations'),
      ...unless(count, refsOf(finished).size, 'named'),
      ...unless(due, balance - (await side.balance()), 'cents paid'),
      ...unless(1, ground.sent(TOKEN).length, 'token requests'),
    ]
  },
  async 'reserve: one offer for other guests each'(ground) {
    const offer = await ground.side.offer()
    const members = ground.each(n =>
      reserving(offer).map(text => text.replace('surname=Öğüt', `surname=Öğüt${letters(n)}`)),
    )
    return oneWins(ground, members, ['offer_in_use'])
  },
  'reserve: one reference for another offer each': otherOffers(
    ['--client-reference', 'race-2'],
    ['reference_in_use', 'begun_elsewhere'],
  ),
  'reserve: one key for another offer each': otherOffers(
    ['--idempotency-key', randomUUID()],
    ['idempotency_key_in_use', 'begun_elsewhere'],
  ),
  async 'reserve: resumed by all'(ground) {
    const balance = await ground.side.balance()
    const {total, wrong} = await loseAnswer(ground, 'race-3')
    const finished = await all(['reserve', '--resume', 'race-3', '--json', '--timeout', '120'])(ground)
    return [
      ...[...wrong, ...(await checkOne(ground, finished, balance, total))],
      ...unless(1, reservationsAt(ground.wire).length, 'requests to resume'),
    ]
  },
  async 'reserve: the process that sends is killed'(ground) {
    const balance = await ground.side.balance()
    const [offer] = await ground.side.offers(1)
    const argv = reserving(offer?.offer_id)
    const first = await startHanging(ground, argv, {forwards: true, ...RESERVE})
    const finished = await all(argv)(ground, {onGo: first.kill})
    const keys = reservationsAt(ground.wire).map(({headers, body}) => `${headers['idempotency-key']} ${body}`)
    return [
      ...(await checkOne(ground, finished, balance, offer?.price.total)),
      ...unless('SIGKILL', (await first.ended).exit, 'ended the first'),
      ...unless(1, new Set(keys).size, 'keys and bodies'),
    ]
  },
  // Half of the processes forget a reservation that the other half resumes. Either may come first, and its result then holds.
  async 'reserve: given up and resumed'(ground) {
    const {home, side} = ground
    const balance = await side.balance()
    const {total, wrong} = await loseAnswer(ground, 'race-4')
    const [forget, resume] = [
      ['journal', 'forget', 'race-4', '--yes'],
      ['reserve', '--resume', 'race-4', '--json'],
    ]
    const finished = await ground.crowd(ground.each(n => (n % 2 === 0 ? forget : resume)))
    const [forgets, resumes] = [0, 1].map(rest => finished.filter((_, n) => n % 2 === rest))
    const entries = await withState(home.configDirectory, ({journal}) => journal.list())
    return [
      // Exit 2 means that the reservation was already forgotten.
      ...[...wrong, ...wrongEnds(forgets ?? [], [0]), ...wrongEnds(resumes ?? [], [0, 2])],
      ...unless('forgotten', entries.map(({outcome}) => outcome).join(), 'is what the journal says'),
      ...unless(1, (await side.reservations()).length, 'reservations'),
      ...unless(cents(total), balance - (await side.balance()), 'cents paid'),
      ...unless([0, 1], reservationsAt(ground.wire).length, 'requests to reserve'),
    ]
  },
}

const RACES = {...TOKEN_RACES, ...RESERVE_RACES, ...FILE_RACES}
const cell = (name: string, count: number, isSample: boolean) => ({
  name: `${name}, ${count} processes`,
  group: name.split(':')[0] ?? name,
  isSample,
  async run({origin}: {origin: string}, _: number, own: Own) {
    return {count, wrong: await (RACES[name] as Race)(await openGround(own, origin, count))}
  },
})

const SAMPLE = ['tokens: the process that asks is killed', 'reserve: the same request']

export const races = part({
  title: 'Races',
  unit: 'processes',
  cells: [
    ...SAMPLE.map(name => cell(name, 5, true)),
    ...Object.keys(RACES).map(name => cell(name, 50, false)),
  ],
  open: openSandbox,
  atOnce: 1,
})
