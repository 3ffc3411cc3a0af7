/** Many readers and writers of what this machine remembers: offers, journal, signing secrets, bundles. */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {unzipSync} from 'fflate'
import {openState} from '../../src/state/state.js'
import {GUESTS, SEARCH} from '../support/stay.js'
import {wrongEnds} from './race-crowd.js'
import {bytesIn, type Race, type Scene} from './race-scene.js'

async function searchesAndReservations(scene: Scene): Promise<string[]> {
  const offers = await scene.offers(Math.floor(scene.count / 3))
  const reserve = (id: string) => [
    'reserve',
    id,
    ...GUESTS,
    '--nationality',
    'TR',
    '--pay',
    'account',
    '--json',
  ]
  const others = scene.count - 2 * offers.length
  const members = [
    ...offers.map(({offer_id}) => reserve(offer_id)),
    ...offers.map(() => [...SEARCH, '--json']),
    ...Array.from({length: others}, () => ['journal', '--json']),
  ]
  const finished = await scene.crowd(members)
  const made = await scene.reservations()
  const searched = finished
    .slice(offers.length, 2 * offers.length)
    .flatMap(({stdout}) => (JSON.parse(stdout) as {offers: {offer_id: string}[]}).offers)
  const state = openState(scene.home.configDirectory)
  const kept = new Set(state.offers.valid(0).map(({offer_id}) => offer_id))
  const entries = state.journal.list()
  state.close()
  const lost = searched.filter(({offer_id}) => !kept.has(offer_id))
  return [
    ...wrongEnds(finished, [0]),
    ...(made.length === offers.length ? [] : [`${made.length} reservations of ${offers.length}`]),
    ...(entries.filter(({outcome}) => outcome === 'confirmed').length === offers.length
      ? []
      : ['the journal lost some']),
    ...(lost.length === 0 ? [] : [`${lost.length} offers seen were lost`]),
  ]
}

interface Created {
  readonly subscription: {readonly id: string; readonly secret: string}
}

async function subscriptions(scene: Scene): Promise<string[]> {
  const create = (n: number) => [
    'webhooks',
    'create',
    '--url',
    `https://127.0.0.1:1/${n}`,
    '--event',
    'voucher.ready',
  ]
  const finished = await scene.crowd(scene.each(n => [...create(n), '--json']))
  const wrong = wrongEnds(finished, [0])
  if (wrong.length > 0) return wrong
  const made = finished.map(({stdout}) => (JSON.parse(stdout) as Created).subscription)
  const secrets = () => {
    const state = openState(scene.home.configDirectory)
    const kept = state.secrets.listSigningSecrets()
    state.close()
    return new Map(kept.map(each => [each.subscription_id, each.secret]))
  }
  const lost = made.filter(({id, secret}) => secrets().get(id) !== secret)
  if (lost.length > 0) wrong.push(`${lost.length} signing secrets are lost`)
  const half = Math.floor(made.length / 2)
  const going = made.slice(0, half)
  const ended = await scene.crowd([
    ...going.map(({id}) => ['webhooks', 'delete', id, '--yes']),
    ...made.slice(half).map(({id}) => ['webhooks', 'update', id, '--passive']),
    ...going.map(() => ['webhooks', 'list', '--json']),
  ])
  wrong.push(...wrongEnds(ended, [0]))
  const there = (await scene.client.call('GET', '/webhooks/subscriptions?limit=200')).json.data as {
    id: string
    is_active: boolean
  }[]
  if (there.length !== made.length - half) wrong.push(`${there.length} subscriptions are left`)
  if (there.some(({is_active}) => is_active)) wrong.push('some are active still')
  const kept = secrets()
  if (made.slice(half).some(({id}) => !kept.has(id))) wrong.push('a signing secret went with that of another')
  if (going.some(({id}) => kept.has(id))) wrong.push('a signing secret was not removed')
  return wrong
}

/** Half of them give up what the other half finds out: either is right, but then it holds. */
async function forgetAndResume(scene: Scene): Promise<string[]> {
  const [offer] = await scene.offers(1)
  const before = await scene.balance()
  scene.proxy.strike = {
    fault: {forwards: true, play: () => ['reset']},
    ...{method: 'POST', path: /\/reservations\/hotel$/},
  }
  const how = ['--nationality', 'TR', '--pay', 'account', '--client-reference', 'race-4']
  const first = await scene.home.run(['reserve', offer?.offer_id ?? '', ...GUESTS, ...how])
  scene.proxy.strike = undefined
  scene.proxy.requests.length = 0
  const halves = scene.each(n =>
    n % 2 === 0 ? ['journal', 'forget', 'race-4', '--yes'] : ['reserve', '--resume', 'race-4', '--json'],
  )
  const finished = await scene.crowd(halves)
  const half = (odd: number) => finished.filter((_, n) => n % 2 === odd)
  const state = openState(scene.home.configDirectory)
  const outcomes = state.journal.list().map(({outcome}) => outcome)
  state.close()
  const made = await scene.reservations()
  const paid = before - (await scene.balance())
  const sent = scene.sent('POST', '/reservations/hotel').length
  return [
    ...(first.exit === 10 ? [] : [`the first ended with ${first.exit}`]),
    ...wrongEnds(half(0), [0]),
    // 2: it was given up before; the message says so.
    ...wrongEnds(half(1), [0, 2]),
    ...(outcomes.join() === 'forgotten' ? [] : [`the journal says ${outcomes}`]),
    ...(made.length === 1 && paid === Math.round(Number(offer?.price.total) * 100)
      ? []
      : [`${made.length} made, ${paid} paid`]),
    ...(sent <= 1 ? [] : [`${sent} requests to reserve`]),
    ...(bytesIn(scene.home).includes('Ayşe') ? ['the guests are still on the disk'] : []),
  ]
}

/** A bundle is whole, whatever is written while it is made. */
async function bundles(scene: Scene): Promise<string[]> {
  const offers = await scene.offers(Math.floor(scene.count / 4))
  const others = [['account'], [...SEARCH], ['config', 'set', 'nationality', 'TR']]
  const members = scene.each(n => {
    const made = n % 4 === 0 ? undefined : others[n % 3]
    return made ?? ['support', 'bundle', `bundle-${n}.zip`, '--yes']
  })
  const reserving = offers.map(({offer_id}) => [
    'reserve',
    offer_id,
    ...GUESTS,
    '--nationality',
    'TR',
    '--pay',
    'account',
  ])
  const all = [...members.slice(reserving.length), ...reserving]
  const finished = await scene.crowd(all)
  const wrong = wrongEnds(finished, [0])
  for (const argv of all.filter(([first]) => first === 'support')) {
    const files = unzipSync(readFileSync(join(scene.home.directory, argv[2] ?? '')))
    const texts = Object.entries(files).map(([name, bytes]) => ({name, text: Buffer.from(bytes).toString()}))
    for (const {name, text} of texts.filter(({name}) => name.endsWith('.json'))) {
      try {
        JSON.parse(text)
      } catch {
        wrong.push(`${argv[2]}: ${name} is cut`)
      }
    }
    if (texts.length < 3) wrong.push(`${argv[2]} holds ${texts.length} files`)
  }
  return wrong
}

export const FILE_RACES: readonly Race[] = [
  {name: 'files: searches, reservations and the journal', run: searchesAndReservations},
  {name: 'files: subscriptions', run: subscriptions},
  {name: 'files: given up and resumed', run: forgetAndResume},
  {name: 'files: bundles while others write', run: bundles},
]
