/** Races over data stored on this machine, and between processes that serve. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {startListening, startTarget} from '../../support/listening.js'
import {answer, ScriptedService} from '../../support/scripted-service.js'
import {SEARCH} from '../../support/stay.js'
import {waitUntil} from '../../support/wait.js'
import {SECRET, sendEvent} from '../../support/webhook-load.js'
import {crowd, documents, type Ground, type Race, unless, wrongEnds} from '../shared/crowd.js'
import {booking, findTexts, Home, withState} from '../shared/scene.js'

const NATIONALITIES = ['TR', 'DE', 'FR', 'IT', 'ES', 'GB', 'NL', 'SE', 'PL', 'GR']

const ownerOf = (profile: string) => ({profile, clientId: `cid_${profile}`})
const secretOf = (name: string) => `sk_test_canary-${name}-canary`
const left = (home: Home) => home.strays().map(name => `left ${name}`)
const numbered = (prefix: string, count: number, from = 0) =>
  Array.from({length: count}, (_, n) => `${prefix}${n + from}`)

/** Writes profiles with their secrets, as login does. */
const writeProfiles = (home: Home, names: readonly string[], base_url: string) =>
  withState(home.configDirectory, async state => {
    const profiles = names.map(name => [name, {base_url, client_id: `cid_${name}`}])
    await state.settings.update(file => file.set(['profiles'], Object.fromEntries(profiles)))
    for (const name of names) await state.secrets.write(ownerOf(name), 'file', secretOf(name))
  })

/** Starts a service that accepts every secret. Its tokens name their client. */
async function startLenient(): Promise<ScriptedService> {
  const service = await ScriptedService.start()
  let issued = 0
  service.at('/oauth/token', ({body}, response) => {
    const {client_id, scope} = JSON.parse(body) as {client_id: string; scope: string}
    const access_token = `tok-${client_id}-${++issued}`
    service.liveTokens.add(access_token)
    answer(response, 200, {data: {access_token, token_type: 'Bearer', expires_in: 7200, scope}})
  })
  return service
}

/** Of every ten processes, two log out, four use their profiles, one logs in, one selects a profile, and two change settings. */
async function everythingAtOnce({count, own}: Ground): Promise<string[]> {
  const service = own(await startLenient())
  const home = own(new Home({BOOKCTL_NO_HISTORY: '1'}))
  const tens = Math.max(1, Math.floor(count / 10))
  const [leaving, staying] = [numbered('p', 2 * tens), numbered('p', 2 * tens, 2 * tens)]
  const coming = numbered('new', tens)
  const where = ['--base-url', service.baseUrl]
  const calls = leaving.flatMap(name => [
    ['account', '--profile', name],
    ['token', '--profile', name],
  ])
  const others = [
    ...leaving.map(name => ['logout', '--profile', name]),
    ...coming.map(name => [
      ...['login', '--profile', name, ...where, '--client-id', `cid_${name}`],
      ...['--client-secret-file', `${name}.txt`],
    ]),
    ...coming.map((_, n) => ['profiles', 'use', `p${n + 2 * tens}`]),
    ...staying.map((name, n) => ['config', 'set', 'timeout', String(n + 1), '--profile', name]),
  ]
  await writeProfiles(home, [...leaving, ...staying], service.baseUrl)
  for (const name of coming) writeFileSync(join(home.directory, `${name}.txt`), `${secretOf(name)}\n`)
  const finished = await crowd([home], [...calls, ...others])
  const gone = leaving.flatMap(name => [secretOf(name), `tok-cid_${name}-`])
  return [
    // After a logout there are no credentials, and a token issued before may be revoked.
    ...wrongEnds(finished.slice(0, calls.length), [0, 4]),
    ...wrongEnds(finished.slice(calls.length), [0]),
    ...[...left(home), ...findTexts(home.configDirectory, gone)],
    ...(await withState(home.configDirectory, async state => {
      const {profiles, current_profile} = state.settings.read()
      const secrets = [...staying, ...coming].map(async name => {
        const isKept = profiles[name] && (await state.secrets.read(ownerOf(name), 'file')) === secretOf(name)
        return isKept ? [] : [`the profile ${name} or its secret is lost`]
      })
      return [
        ...staying.flatMap((name, n) => unless(n + 1, profiles[name]?.timeout, `is the timeout of ${name}`)),
        ...unless(true, profiles[current_profile ?? ''] !== undefined, 'that the current profile exists'),
        ...(await Promise.all(secrets)).flat(),
      ]
    })),
  ]
}

async function subscriptions(ground: Ground): Promise<string[]> {
  const {home, side} = ground
  const create = (n: number) => ['webhooks', 'create', '--url', `https://127.0.0.1:1/${n}`]
  const finished = await ground.crowd(ground.each(n => [...create(n), '--event', 'voucher.ready', '--json']))
  const wrong = wrongEnds(finished, [0])
  if (wrong.length > 0) return wrong
  const made: {id: string; secret: string}[] = documents(finished).map(({subscription}) => subscription)
  const secrets = () =>
    withState(home.configDirectory, state => {
      const kept = state.secrets.listSigningSecrets()
      return new Map(kept.map(({subscription_id, secret}) => [subscription_id, secret]))
    })
  const kept = await secrets()
  if (made.some(({id, secret}) => kept.get(id) !== secret)) wrong.push('signing secrets are lost')
  const [going, staying] = [made.slice(0, made.length / 2), made.slice(made.length / 2)]
  const ended = await ground.crowd([
    ...going.map(({id}) => ['webhooks', 'delete', id, '--yes']),
    ...staying.map(({id}) => ['webhooks', 'update', id, '--passive']),
    ...going.map(() => ['webhooks', 'list', '--json']),
  ])
  const there = await side.show<{is_active: boolean}[]>('/webhooks/subscriptions?limit=200')
  const after = await secrets()
  return [
    ...[...wrong, ...wrongEnds(ended, [0])],
    ...unless(staying.length, there.length, 'subscriptions are left'),
    ...unless(0, there.filter(({is_active}) => is_active).length, 'are active'),
    ...unless(0, staying.filter(({id}) => !after.has(id)).length, 'other signing secrets are lost'),
    ...unless(0, going.filter(({id}) => after.has(id)).length, 'deleted signing secrets stay'),
  ]
}

/** Two receivers write the same file while senders send to both, and many processes read the file and replay from it. */
async function receivers(ground: Ground): Promise<string[]> {
  const {home, own} = ground
  Object.assign(home.env, {BOOKCTL_WEBHOOK_SECRET: SECRET})
  const target = own(await startTarget(200))
  const listeners = (await Promise.all([startListening(home), startListening(home)])).map(own)
  const acknowledged = new Set<string>()
  let isOver = false
  own({stop: () => (isOver = true)})
  const sending = listeners.map(async ({port}, to) => {
    for (let n = 0; !isOver; n++) {
      const id = `evt_to${to}x${n}`
      const body = `{"id":"${id}","type":"reservation.confirmed","data":{"status":"CONFIRMED"}}`
      if ((await sendEvent(port, body, id)) === 200) acknowledged.add(id)
    }
  })
  const readers = [
    ['list', '--json'],
    ['export', '--file', '-'],
    ['replay', 'evt_to0x0', 'evt_to1x0', '--to', target.url],
    ['show', 'evt_to0x1', '--json'],
  ].map(argv => ['webhooks', 'events', ...argv])
  await waitUntil(() => acknowledged.size >= 20, 'events to begin with')
  const members = ground.each(n => readers[n % readers.length] ?? [])
  const finished = await ground.crowd(members)
  const replays = members.filter(argv => argv[2] === 'replay').length
  isOver = true
  await Promise.all(sending)
  const {result} = await home.json<{events: {event_id: string}[]}>(['webhooks', 'events', 'list'])
  const kept = new Set(result.events.map(({event_id}) => event_id))
  const lost = [...acknowledged].filter(id => !kept.has(id))
  const ends = await Promise.all(listeners.map(each => each.stop()))
  return [
    ...[...wrongEnds(finished, [0]), ...wrongEnds(ends, [143])],
    ...unless(0, lost.length, `of ${acknowledged.size} events are lost`),
    ...unless(kept.size, result.events.length, 'events are kept'),
    ...unless(2 * replays, target.got.length, 'were sent again'),
  ]
}

export const FILE_RACES: Record<string, Race> = {
  async 'config: another profile each'({home, wire, ...ground}) {
    const names = numbered('p', ground.count)
    await writeProfiles(home, names, wire.origin)
    const finished = await ground.crowd(
      names.map((name, n) => ['config', 'set', 'timeout', String(n + 1), '--profile', name]),
    )
    const {profiles} = await withState(home.configDirectory, ({settings}) => settings.read())
    const lost = names.flatMap((name, n) =>
      unless(n + 1, profiles[name]?.timeout, `is the timeout of ${name}`),
    )
    return [...wrongEnds(finished, [0]), ...lost, ...left(home)]
  },
  async 'config: one key'({home, ...ground}) {
    const value = (n: number) => NATIONALITIES[n % NATIONALITIES.length] ?? ''
    const finished = await ground.crowd(ground.each(n => ['config', 'set', 'nationality', value(n)]))
    const {stdout} = await home.run(['config', 'get', 'nationality'])
    return [...wrongEnds(finished, [0]), ...unless(NATIONALITIES, stdout.trim(), 'is set'), ...left(home)]
  },
  'config: profiles, logins and logouts': everythingAtOnce,
  async 'files: searches, reservations and the journal'({side, home, ...ground}) {
    const offers = await side.offers(Math.floor(ground.count / 3))
    const others = ground.count - 2 * offers.length
    const finished = await ground.crowd([
      ...offers.map(({offer_id}) => booking(offer_id, ['--json'])),
      ...offers.map(() => [...SEARCH, '--json']),
      ...Array.from({length: others}, () => ['journal', '--json']),
    ])
    const searched: {offer_id: string}[] = documents(
      finished.slice(offers.length, 2 * offers.length),
    ).flatMap(({offers}) => offers)
    const {kept, entries} = await withState(home.configDirectory, async state => ({
      kept: new Set((await state.offers.valid(0)).map(({offer_id}) => offer_id)),
      entries: (await state.journal.list()).filter(({outcome}) => outcome === 'confirmed'),
    }))
    return [
      ...wrongEnds(finished, [0]),
      ...unless(offers.length, (await side.reservations()).length, 'reservations'),
      ...unless(offers.length, entries.length, 'in the journal'),
      ...unless(0, searched.filter(({offer_id}) => !kept.has(offer_id)).length, 'offers seen are lost'),
    ]
  },
  'files: subscriptions': subscriptions,
  'servers: receivers, readers and replays': receivers,
}
