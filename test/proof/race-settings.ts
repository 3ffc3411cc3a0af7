/** Many writers of config.json and of the secrets beside it: nothing is lost, nothing is mixed, nothing comes back. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {openState, type State} from '../../src/state/state.js'
import {type Finished, Home} from '../support/bookctl.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {crowd, wrongEnds} from './race-crowd.js'
import {bytesIn, type Race, type Scene} from './race-scene.js'

const NATIONALITIES = ['TR', 'DE', 'FR', 'IT', 'ES', 'GB', 'NL', 'SE', 'PL', 'GR']

async function withState<T>(home: Home, work: (state: State) => T | Promise<T>): Promise<T> {
  const state = openState(home.configDirectory)
  try {
    return await work(state)
  } finally {
    state.close()
  }
}

/** Writes profiles `p0`, `p1`, … with their secrets, as logins did. */
async function writeProfiles(home: Home, count: number, baseUrl: string): Promise<void> {
  await withState(home, async state => {
    const names = Array.from({length: count}, (_, n) => `p${n}`)
    const profiles = names.map(name => [name, {base_url: baseUrl, client_id: `cid_${name}`}])
    await state.settings.update(file => file.set(['profiles'], Object.fromEntries(profiles)))
    for (const name of names) await state.secrets.write(ownerOf(name), 'file', secretOf(name))
  })
}

const ownerOf = (profile: string) => ({profile, clientId: `cid_${profile}`})
const secretOf = (name: string) => `sk_test_canary-${name}-canary`

const left = (home: Home) => home.strays().map(name => `left ${name}`)

/** Accepts every secret, and gives tokens that name the client they are for. */
async function startLenient(): Promise<ScriptedService> {
  const service = await ScriptedService.start()
  let issued = 0
  service.script = ({path, body}, response) => {
    if (path !== '/oauth/token') return false
    const {client_id, scope} = JSON.parse(body) as {client_id: string; scope: string}
    const access_token = `tok-${client_id}-${++issued}`
    service.liveTokens.add(access_token)
    answer(response, 200, {data: {access_token, token_type: 'Bearer', expires_in: 7200, scope}})
    return true
  }
  return service
}

/** Of every ten: two log out, four use those profiles, one logs in anew, one chooses, two change settings. */
async function everythingAtOnce(scene: Scene): Promise<string[]> {
  const service = await startLenient()
  const home = new Home({BOOKCTL_NO_HISTORY: '1'})
  const {count} = scene
  const tens = Math.max(1, Math.floor(count / 10))
  const leaving = Array.from({length: 2 * tens}, (_, n) => `p${n}`)
  const staying = Array.from({length: 2 * tens}, (_, n) => `p${n + 2 * tens}`)
  const coming = Array.from({length: tens}, (_, n) => `new${n}`)
  const called = leaving.flatMap(name => [
    ['account', '--profile', name],
    ['token', '--profile', name],
  ])
  try {
    await writeProfiles(home, 4 * tens, service.baseUrl)
    for (const name of coming) writeFileSync(join(home.directory, `${name}.txt`), `${secretOf(name)}\n`)
    const members = [
      ...leaving.map(name => ['logout', '--profile', name]),
      ...called,
      ...coming.map(name => [
        ...['login', '--profile', name, '--base-url', service.baseUrl, '--client-id', `cid_${name}`],
        ...['--client-secret-file', `${name}.txt`],
      ]),
      ...coming.map((_, n) => ['profiles', 'use', `p${n + 2 * tens}`]),
      ...staying.map((name, n) => ['config', 'set', 'timeout', String(n + 1), '--profile', name]),
    ]
    const finished = await crowd(home, members)
    const uses = (argv: readonly string[]) => ['account', 'token'].includes(argv[0] ?? '')
    const calls = finished.filter((_, n) => uses(members[n] ?? []))
    const others = finished.filter((_, n) => !uses(members[n] ?? []))
    const bytes = bytesIn(home)
    const wrong = [
      // Whoever logged out before leaves no credentials to use; a token taken before may be revoked by then.
      ...wrongEnds(calls, [0, 4]),
      ...wrongEnds(others, [0]),
      ...left(home),
      ...leaving.filter(name => bytes.includes(secretOf(name))).map(name => `the secret of ${name} is left`),
      ...leaving.filter(name => bytes.includes(`tok-cid_${name}-`)).map(name => `a token of ${name} is left`),
    ]
    await withState(home, async state => {
      const {profiles, current_profile} = state.settings.read()
      for (const [n, name] of staying.entries())
        if (profiles[name]?.timeout !== n + 1) wrong.push(`timeout of ${name}: ${profiles[name]?.timeout}`)
      for (const name of [...staying, ...coming])
        if ((await state.secrets.read(ownerOf(name), 'file')) !== secretOf(name))
          wrong.push(`the secret of ${name} is lost`)
      for (const name of coming) if (!profiles[name]) wrong.push(`the profile ${name} is lost`)
      if (!current_profile || !profiles[current_profile])
        wrong.push(`the current profile is ${current_profile}`)
    })
    return wrong
  } finally {
    service.close()
    home.remove()
  }
}

function valuesIn(finished: readonly Finished[]): string[] {
  return finished.map(({stdout}) => stdout.trim())
}

export const SETTINGS_RACES: readonly Race[] = [
  {
    name: 'config: another profile each',
    async run(scene) {
      await writeProfiles(scene.home, scene.count, scene.baseUrl)
      const finished = await scene.crowd(
        scene.each(n => ['config', 'set', 'timeout', String(n + 1), '--profile', `p${n}`]),
      )
      const {profiles} = await withState(scene.home, state => state.settings.read())
      const lost = scene
        .each(n => (profiles[`p${n}`]?.timeout === n + 1 ? [] : [`p${n} lost its timeout`]))
        .flat()
      return [...wrongEnds(finished, [0]), ...lost, ...left(scene.home)]
    },
  },
  {
    name: 'config: one key',
    async run(scene) {
      const value = (n: number) => NATIONALITIES[n % NATIONALITIES.length] ?? ''
      const finished = await scene.crowd(scene.each(n => ['config', 'set', 'nationality', value(n)]))
      const got = valuesIn([await scene.home.run(['config', 'get', 'nationality'])])
      const isOne = NATIONALITIES.includes(got[0] ?? '')
      return [...wrongEnds(finished, [0]), ...(isOne ? [] : [`it is ${got}`]), ...left(scene.home)]
    },
  },
  {name: 'config: profiles, logins and logouts', run: everythingAtOnce},
]
