/** Many reservations at once (§4.4): one consent is one reservation and one debit, whoever else is at work. */
import {randomUUID} from 'node:crypto'
import type {Finished} from '../support/bookctl.js'
import {GUESTS} from '../support/stay.js'
import {wrongEnds} from './race-crowd.js'
import type {Race, Scene} from './race-scene.js'

const RESERVE = '/reservations/hotel'
const how = (reference?: string) => [
  ...['--json', '--nationality', 'TR', '--pay', 'account', '--timeout', '120'],
  ...(reference === undefined ? [] : ['--client-reference', reference]),
]

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape
const documents = (finished: readonly Finished[]): any[] => finished.map(({stdout}) => JSON.parse(stdout))

/** Whether there is one reservation, paid once; `total` is its price. */
async function onlyOne(scene: Scene, before: number, total: string): Promise<string[]> {
  const wrong: string[] = []
  const made = await scene.reservations()
  if (made.length !== 1) wrong.push(`${made.length} reservations`)
  const paid = before - (await scene.balance())
  if (paid !== Math.round(Number(total) * 100)) wrong.push(`paid ${paid}, of a price of ${total}`)
  return wrong
}

/** Whether all name the one reservation that was made. */
async function allName(scene: Scene, finished: readonly Finished[]): Promise<string[]> {
  const named = new Set(documents(finished).map(({reservation}) => reservation?.reservation_ref))
  const [made] = await scene.reservations()
  return named.size === 1 && named.has(made?.reservation_ref) ? [] : [`named are ${[...named].join(', ')}`]
}

function howOften(count: number, most: number, what: string): string[] {
  return count >= 1 && count <= most ? [] : [`${count} ${what}`]
}

async function sameRequest(scene: Scene, extra: readonly string[]): Promise<string[]> {
  const [offer] = await scene.offers(1)
  if (offer === undefined) return ['no offer was found']
  const before = await scene.balance()
  const finished = await scene.crowd(scene.each(() => ['reserve', offer.offer_id, ...GUESTS, ...extra]))
  return [
    ...wrongEnds(finished, [0]),
    ...(await allName(scene, finished)),
    ...(await onlyOne(scene, before, offer.price.total)),
    ...howOften(scene.sent('POST', RESERVE).length, 1, 'requests to reserve'),
    ...howOften(scene.sent('POST', '/oauth/token').length, 1, 'token requests'),
  ]
}

/** One of many intents wins, and the others are refused before anything of them is sent. */
async function oneWins(
  scene: Scene,
  members: readonly (readonly string[])[],
  codes: readonly string[],
): Promise<string[]> {
  const finished = await scene.crowd(members)
  const made = await scene.reservations()
  const won = finished.filter(({exit}) => exit === 0).length
  const refused = documents(finished).flatMap(({error}) => (error ? [String(error.code)] : []))
  return [
    ...wrongEnds(finished, [0, 2]),
    ...(won === 1 && made.length === 1 ? [] : [`${won} say that they reserved, ${made.length} reservations`]),
    ...howOften(scene.sent('POST', RESERVE).length, 1, 'requests to reserve'),
    ...[...new Set(refused)].filter(code => !codes.includes(code)).map(code => `refused as ${code}`),
  ]
}

const surname = (index: number) =>
  GUESTS.map(text =>
    text.replace(
      'surname=Öğüt',
      `surname=Öğüt${'abcdefghij'[index % 10]}${'abcdefghij'[Math.floor(index / 10)]}`,
    ),
  )

export const RESERVE_RACES: readonly Race[] = [
  {name: 'reserve: the same request', run: scene => sameRequest(scene, how())},
  {
    name: 'reserve: the same request with reference and key',
    run: scene => sameRequest(scene, [...how('race-1'), '--idempotency-key', randomUUID()]),
  },
  {
    name: 'reserve: another offer each',
    async run(scene) {
      const offers = await scene.offers(scene.count)
      const before = await scene.balance()
      const finished = await scene.crowd(
        offers.map(({offer_id}) => ['reserve', offer_id, ...GUESTS, ...how()]),
      )
      const made = await scene.reservations()
      const paid = before - (await scene.balance())
      const due = offers.reduce((sum, {price}) => sum + Math.round(Number(price.total) * 100), 0)
      const named = new Set(documents(finished).map(({reservation}) => reservation?.reservation_ref))
      return [
        ...wrongEnds(finished, [0]),
        ...(made.length === scene.count && named.size === scene.count
          ? []
          : [`${made.length} made, ${named.size} named`]),
        ...(paid === due ? [] : [`paid ${paid}, due ${due}`]),
        ...howOften(scene.sent('POST', '/oauth/token').length, 1, 'token requests'),
      ]
    },
  },
  {
    name: 'reserve: one offer for other guests each',
    async run(scene) {
      const [offer] = await scene.offers(1)
      const members = scene.each(index => ['reserve', offer?.offer_id ?? '', ...surname(index), ...how()])
      return oneWins(scene, members, ['offer_in_use'])
    },
  },
  {
    name: 'reserve: one reference for another offer each',
    async run(scene) {
      const offers = await scene.offers(scene.count)
      const members = offers.map(({offer_id}) => ['reserve', offer_id, ...GUESTS, ...how('race-2')])
      return oneWins(scene, members, ['reference_in_use', 'begun_elsewhere'])
    },
  },
  {
    name: 'reserve: one key for another offer each',
    async run(scene) {
      const offers = await scene.offers(scene.count)
      const key = ['--idempotency-key', randomUUID()]
      const members = offers.map(({offer_id}) => ['reserve', offer_id, ...GUESTS, ...how(), ...key])
      return oneWins(scene, members, ['idempotency_key_in_use', 'begun_elsewhere'])
    },
  },
  {
    name: 'reserve: resumed by all',
    async run(scene) {
      const [offer] = await scene.offers(1)
      const before = await scene.balance()
      let cut = 0
      const fault = {
        forwards: true,
        *play() {
          cut++
          yield 'reset' as const
        },
      }
      scene.proxy.strike = {fault, method: 'POST', path: /\/reservations\/hotel$/}
      const first = await scene.home.run(['reserve', offer?.offer_id ?? '', ...GUESTS, ...how('race-3')])
      scene.proxy.strike = undefined
      const finished = await scene.crowd(
        scene.each(() => ['reserve', '--resume', 'race-3', '--json', '--timeout', '120']),
      )
      return [
        ...(first.exit === 10 && cut > 0 ? [] : [`the first ended with ${first.exit}: ${first.stdout}`]),
        ...wrongEnds(finished, [0]),
        ...(await allName(scene, finished)),
        ...(await onlyOne(scene, before, offer?.price.total ?? '')),
        ...howOften(scene.sent('POST', RESERVE).length - cut, 1, 'requests to resume'),
        ...howOften(
          new Set(scene.sent('POST', RESERVE).map(({headers, body}) => headers['idempotency-key'] + body))
            .size,
          1,
          'keys and bodies',
        ),
      ]
    },
  },
]
