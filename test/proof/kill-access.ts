/** Token renewal, `login`, `logout` and the writers of config.json are killed: old or new, never a mixture, and no secret left. */
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {tokenClientOf} from '../../src/api/auth/token-request.js'
import type {Profile, SettingsFile} from '../../src/state/settings.js'
import type {Home} from '../support/bookctl.js'
import {CRASH_POINTS} from './crash-points.js'
import {changeState, checkDatabases, checkNoBytes, checkNoTemporaryFiles, withState} from './kill-checks.js'
import {CREDENTIALS, type Lane} from './kill-lane.js'
import {runAgain, runAnother} from './kill-run.js'
import {ofOneCommand, type Scene, type Subject} from './kill-scene.js'

const SECRET = CREDENTIALS.BOOKCTL_CLIENT_SECRET
const CLIENT = {clientId: CREDENTIALS.BOOKCTL_CLIENT_ID, clientSecret: SECRET}
const SCOPES = ['account:read']

const now = () => Date.now() / 1000

/** A token that was obtained so long ago; the client's own, whatever the service thinks of it. */
async function keepToken(home: Home, token: string, agoSeconds: number, scopes = SCOPES): Promise<void> {
  const client = tokenClientOf(home.env.BOOKCTL_BASE_URL ?? '', CLIENT)
  const obtainedAt = now() - agoSeconds
  const times = {obtainedAt, expiresAt: obtainedAt + 7200}
  await changeState(home, state =>
    state.tokens.put(client, {access_token: token, scopes, askedScopes: scopes, ...times}),
  )
}

function liveTokens(home: Home): Promise<number> {
  return withState(home, state => state.tokens.listAll().filter(({token}) => token.expiresAt > now()).length)
}

/** With one that has expired, or with none and no database yet. */
async function openRenewal(lane: Lane, random: () => number): Promise<Scene> {
  const {home, proxy} = await lane.openHome()
  if (random() < 0.5) await keepToken(home, 'at_that_has_expired', 7300)
  const asked = () => proxy.requests.filter(({path}) => path.endsWith('/oauth/token')).length
  let before = 0
  return {
    ...ofOneCommand({home, argv: ['account'], proxy}),
    async afterDeath() {
      before = await liveTokens(home)
      const wasUsed = proxy.requests.some(({path}) => path.endsWith('/account'))
      return [
        ...checkDatabases(home),
        ...(wasUsed && before === 0 ? ['the token was used before it was kept'] : []),
      ]
    },
    async again() {
      const askedBefore = asked()
      const {exit, wrong} = await runAgain(home, ['account'])
      if (exit !== 0) wrong.push(`again it ends with ${exit}`)
      if (asked() - askedBefore !== (before > 0 ? 0 : 1)) wrong.push(`${asked()} tokens were asked for`)
      const kept = await liveTokens(home)
      if (kept !== 1) wrong.push(`${kept} tokens are kept`)
      return [...wrong, ...checkNoTemporaryFiles(home)]
    },
  }
}

function profileOf(home: Home, clientId = CLIENT.clientId): Profile {
  return {base_url: home.env.BOOKCTL_BASE_URL ?? '', client_id: clientId, mode: 'test', secret_store: 'file'}
}

async function writeSettings(home: Home, settings: SettingsFile): Promise<void> {
  await changeState(home, state =>
    state.settings.update(file => {
      for (const [key, value] of Object.entries(settings)) file.set([key], value)
    }),
  )
}

function readSettings(home: Home): SettingsFile | undefined {
  const path = join(home.configDirectory, 'config.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SettingsFile) : undefined
}

/** What the profile of `login` was before. */
const BEFORE = {profile: 'new', clientId: 'cid_before'}
const SECRET_BEFORE = 'sk_test_of_the_client_before'
const DEFAULT = {profile: 'default', clientId: CLIENT.clientId}

async function openLogin(lane: Lane): Promise<Scene> {
  const {home, proxy} = await lane.openHome({})
  writeFileSync(join(home.directory, 'secret.txt'), `${SECRET}\n`)
  await writeSettings(home, {
    current_profile: 'kept',
    profiles: {
      kept: profileOf(home, 'cid_kept'),
      new: profileOf(home, BEFORE.clientId),
    },
  })
  await changeState(home, state => state.secrets.write(BEFORE, 'file', SECRET_BEFORE))
  const argv = [
    'login',
    '--profile',
    'new',
    '--client-id',
    CLIENT.clientId,
    '--client-secret-file',
    'secret.txt',
  ]
  const check = async () => {
    const settings = readSettings(home)
    const names = Object.keys(settings?.profiles ?? {}).join(' ')
    const wrong = names === 'kept new' ? [] : [`config.json has the profiles "${names}"`]
    const clientId = settings?.profiles.new?.client_id ?? ''
    const secret = await withState(home, state => state.secrets.read({profile: 'new', clientId}, 'file'))
    const secrets = new Map([
      [BEFORE.clientId, SECRET_BEFORE],
      [CLIENT.clientId, SECRET],
    ])
    if (secret === undefined || secret !== secrets.get(clientId))
      wrong.push(`the profile names ${clientId}, and the secret is not that client's`)
    return {wrong, isDone: clientId === CLIENT.clientId && secret === SECRET}
  }
  return {
    ...ofOneCommand({home, argv, proxy}),
    afterDeath: async () => [...checkDatabases(home), ...(await check()).wrong],
    async again() {
      const {exit, wrong} = await runAgain(home, argv)
      const {isDone} = await check()
      if (exit !== 0 || !isDone) wrong.push(`again it ends with ${exit}`)
      if ((await liveTokens(home)) !== 1) wrong.push('the token is not kept')
      return [
        ...wrong,
        ...checkNoTemporaryFiles(home),
        ...checkNoBytes(home, [SECRET], /^(secret\.txt|tokens\.db.*)$/),
        ...checkNoBytes(home, [SECRET_BEFORE]),
      ]
    },
  }
}

async function openLogout(lane: Lane): Promise<Scene> {
  const {home, proxy} = await lane.openHome({})
  await writeSettings(home, {current_profile: 'default', profiles: {default: profileOf(home)}})
  await changeState(home, state => state.secrets.write(DEFAULT, 'file', SECRET))
  const tokens = ['at_of_the_account', 'at_of_the_hotels']
  await keepToken(home, tokens[0] ?? '', 10)
  await keepToken(home, tokens[1] ?? '', 10, ['hotels:read'])
  /** What is no longer kept, of what was. */
  const gone = () =>
    withState(home, async state => {
      const kept = state.tokens.listAll().map(({token}) => token.access_token)
      const secret = await state.secrets.read(DEFAULT, 'file')
      return [SECRET, ...tokens].filter(text => text !== secret && !kept.includes(text))
    })
  return {
    ...ofOneCommand({home, argv: ['logout'], proxy}),
    afterDeath: () => checkDatabases(home),
    async again() {
      // It looks for the secret, whether that is there or not.
      const unfinished = await runAnother(home, ['whoami'], [0, 4])
      unfinished.push(...checkNoBytes(home, await gone()))
      const {exit, wrong} = await runAgain(home, ['logout'])
      if (exit !== 0) wrong.push(`again it ends with ${exit}`)
      return [
        ...unfinished,
        ...wrong,
        ...checkNoTemporaryFiles(home),
        ...checkNoBytes(home, [SECRET, ...tokens]),
      ]
    },
  }
}

/** Changes config.json: it is as it was, or as it should be. */
function changing(
  argv: readonly string[],
  change: (settings: SettingsFile) => SettingsFile,
): Subject['open'] {
  return async lane => {
    const {home, proxy} = await lane.openHome()
    const profiles = {one: profileOf(home), two: profileOf(home, 'cid_two')}
    const before: SettingsFile = {current_profile: 'one', profiles}
    await writeSettings(home, before)
    const wanted = JSON.stringify(change(before))
    return {
      ...ofOneCommand({home, argv, proxy}),
      afterDeath() {
        const there = JSON.stringify(readSettings(home))
        const isOne = there === JSON.stringify(before) || there === wanted
        return [...checkDatabases(home), ...(isOne ? [] : [`config.json is ${there}`])]
      },
      async again() {
        const {exit, wrong} = await runAgain(home, argv)
        if (exit !== 0) wrong.push(`again it ends with ${exit}`)
        if (JSON.stringify(readSettings(home)) !== wanted) wrong.push('config.json is not as it should be')
        return [...wrong, ...checkNoTemporaryFiles(home)]
      },
    }
  }
}

export const ACCESS: readonly Subject[] = [
  {name: 'token renewal', points: CRASH_POINTS['token renewal'], randomKills: 200, open: openRenewal},
  {name: 'login', points: CRASH_POINTS.login, randomKills: 120, open: openLogin},
  {name: 'logout', points: CRASH_POINTS.logout, randomKills: 120, open: openLogout},
  {
    ...{name: 'config set', points: CRASH_POINTS['config set'], randomKills: 160},
    open: changing(['config', 'set', 'timeout', '37'], settings => ({
      ...settings,
      defaults: {timeout: 37},
    })),
  },
  {
    ...{name: 'profiles use', points: CRASH_POINTS['profiles use'], randomKills: 80},
    open: changing(['profiles', 'use', 'two'], settings => ({...settings, current_profile: 'two'})),
  },
]
