/**
 * Kills during changes of tokens, logins, settings and subscriptions: the state is the old or the new one, never a mixture, and
 * no secret is lost or left behind.
 */
import {randomUUID} from 'node:crypto'
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Profile, SettingsFile} from '../../../src/state/settings.js'
import type {Home} from '../../support/bookctl.js'
import {CREDENTIALS, findTexts, keepToken, withState} from '../shared/scene.js'
import {command, look, runAgain, runAnother, type Subject, unless} from './trial.js'

const SECRET = CREDENTIALS.BOOKCTL_CLIENT_SECRET
const CLIENT_ID = CREDENTIALS.BOOKCTL_CLIENT_ID
const now = () => Date.now() / 1000
const baseUrlOf = (home: Home) => home.env.BOOKCTL_BASE_URL ?? ''

const liveTokens = (home: Home) =>
  look(
    home,
    async state => (await state.tokens.listAll()).filter(({token}) => token.expiresAt > now()).length,
  )

const renewal = command('token renewal', 200, async ({home, wire}, random) => {
  // There is an expired token, or no token and no database.
  if (random() < 0.5) await keepToken(home, 'at_expired', 7300, ['account:read'])
  const asked = () => wire.requests.filter(({path}) => path.endsWith('/oauth/token')).length
  let [keptBefore, askedBefore] = [0, 0]
  return {
    argv: ['account'],
    async afterDeath() {
      ;[keptBefore, askedBefore] = [await liveTokens(home), asked()]
      const wasUsed = wire.requests.some(({path}) => path.endsWith('/account'))
      return unless(!wasUsed || keptBefore > 0, 'the token was used before it was kept')
    },
    async after({exit}) {
      const more = asked() - askedBefore
      const kept = await liveTokens(home)
      return [
        ...unless(exit === 0, `again it ends with ${exit}`),
        ...unless(more === (keptBefore > 0 ? 0 : 1), `${more} tokens were asked for`),
        ...unless(kept === 1, `${kept} tokens are kept`),
      ]
    },
  }
})

const profileOf = (home: Home, client_id = CLIENT_ID): Profile => ({
  base_url: baseUrlOf(home),
  client_id,
  mode: 'test',
  secret_store: 'file',
})

const readSettings = (home: Home): SettingsFile | undefined => {
  const path = join(home.configDirectory, 'config.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

const login = command(
  'login',
  120,
  async ({home}) => {
    const SECRET_BEFORE = 'sk_test_of_the_client_before'
    const before = {profile: 'new', clientId: 'cid_before'}
    writeFileSync(join(home.directory, 'secret.txt'), `${SECRET}\n`)
    const profiles = {kept: profileOf(home, 'cid_kept'), new: profileOf(home, before.clientId)}
    home.configure({current_profile: 'kept', profiles})
    await withState(home.configDirectory, state => state.secrets.write(before, 'file', SECRET_BEFORE))
    const secretOf: Record<string, string> = {[before.clientId]: SECRET_BEFORE, [CLIENT_ID]: SECRET}
    const check = async () => {
      const settings = readSettings(home)
      const names = Object.keys(settings?.profiles ?? {}).join(' ')
      const clientId = settings?.profiles.new?.client_id ?? ''
      const secret = await look(home, state => state.secrets.read({profile: 'new', clientId}, 'file'))
      const wrong = unless(names === 'kept new', `config.json has the profiles "${names}"`)
      const fits = secret !== undefined && secret === secretOf[clientId]
      return {clientId, wrong: [...wrong, ...unless(fits, `the secret is not that of ${clientId}`)]}
    }
    return {
      argv: `login --profile new --client-id ${CLIENT_ID} --client-secret-file secret.txt`.split(' '),
      afterDeath: async () => (await check()).wrong,
      async after({exit}) {
        const {clientId, wrong} = await check()
        return [
          ...[...wrong, ...unless(exit === 0 && clientId === CLIENT_ID, `again it ends with ${exit}`)],
          ...unless((await liveTokens(home)) === 1, 'the token is not kept'),
          ...findTexts(home.directory, [SECRET], /^(secret\.txt|config\/tokens\.db.*)$/),
          ...findTexts(home.directory, [SECRET_BEFORE]),
        ]
      },
    }
  },
  {},
)

const logout = command(
  'logout',
  120,
  async ({home}) => {
    const owner = {profile: 'default', clientId: CLIENT_ID}
    home.configure({current_profile: 'default', profiles: {default: profileOf(home)}})
    await withState(home.configDirectory, state => state.secrets.write(owner, 'file', SECRET))
    await keepToken(home, 'at_of_the_account', 10, ['account:read'])
    await keepToken(home, 'at_of_the_hotels', 10, ['hotels:read'])
    const all = [SECRET, 'at_of_the_account', 'at_of_the_hotels']
    const removed = () =>
      look(home, async state => {
        const tokens = (await state.tokens.listAll()).map(({token}) => token.access_token)
        const secret = await state.secrets.read(owner, 'file')
        return all.filter(text => text !== secret && !tokens.includes(text))
      })
    return {
      argv: ['logout'],
      async before() {
        // Any command finishes the removal, whether or not it finds credentials.
        const wrong = await runAnother(home, ['whoami'], [0, 4])
        return [...wrong, ...findTexts(home.directory, await removed())]
      },
      after: ({exit}) => [
        ...unless(exit === 0, `again it ends with ${exit}`),
        ...findTexts(home.directory, all),
      ],
    }
  },
  {},
)

/** config.json is the old or the new one. */
const changing = (
  name: string,
  randomKills: number,
  argv: readonly string[],
  change: (settings: SettingsFile) => SettingsFile,
) =>
  command(name, randomKills, async ({home}) => {
    const profiles = {one: profileOf(home), two: profileOf(home, 'cid_two')}
    const before: SettingsFile = {current_profile: 'one', profiles}
    home.configure(before)
    const wanted = JSON.stringify(change(before))
    const there = () => JSON.stringify(readSettings(home))
    return {
      argv,
      afterDeath: () =>
        unless([JSON.stringify(before), wanted].includes(there()), `config.json is ${there()}`),
      after: ({exit}) => unless(exit === 0 && there() === wanted, `again ${exit}, config.json is ${there()}`),
    }
  })

/** A secret that was shown once is stored, or the next run says that a subscription may exist. */
const create = command('webhooks create', 240, async ({home, side}) => {
  const url = `https://127.0.0.1:1/${randomUUID()}`
  const path = join(home.directory, 'signing.txt')
  const argv = `webhooks create --url ${url} --event voucher.ready --secret-file signing.txt`.split(' ')
  const kept = () => look(home, state => state.secrets.listSigningSecrets())
  const secrets = async () => (await kept()).map(({secret}) => secret)
  const lost = async () => {
    const ids = (await kept()).map(({subscription_id}) => subscription_id)
    return (await side.subscriptionsTo(url)).filter(id => !ids.includes(id)).length
  }
  const checkFile = async () =>
    unless(!existsSync(path) || (await secrets()).includes(readFileSync(path, 'utf8')), 'the file is cut')
  let [lostBefore, isThere] = [0, false]
  return {
    argv,
    async afterDeath({stdout}) {
      ;[lostBefore, isThere] = [await lost(), existsSync(path)]
      const shown = stdout.match(/whsec_[\w+/=-]{8,}(?=")/g) ?? []
      const all = await secrets()
      const isKept = shown.every(secret => all.includes(secret))
      return [...unless(isKept, 'was printed before it was kept'), ...(await checkFile())]
    },
    async after({exit, code}) {
      const warns = exit === 10 && code === 'earlier_creation_unknown'
      const wrong: string[] = []
      if (lostBefore > 0 && !warns) wrong.push(`a secret was lost, and again it ends with ${exit} ${code}`)
      if (!warns) wrong.push(...unless(exit === (isThere ? 2 : 0), `again it ends with ${exit} ${code}`))
      else {
        const {exit: second} = await runAgain(home, [...argv, '--again'], wrong)
        if (second !== 0 && !(second === 2 && existsSync(path))) wrong.push(`--again ends with ${second}`)
      }
      return [
        ...[
          ...wrong,
          ...unless((await lost()) === lostBefore, 'one more secret was lost'),
          ...(await checkFile()),
        ],
        ...findTexts(home.directory, await secrets(), /^(signing\.txt|config\/tokens\.db.*)$/),
      ]
    },
  }
})

export const ACCESS: readonly Subject[] = [
  renewal,
  login,
  logout,
  changing('config set', 160, ['config', 'set', 'timeout', '37'], file => ({
    ...file,
    defaults: {timeout: 37},
  })),
  changing('profiles use', 80, ['profiles', 'use', 'two'], file => ({...file, current_profile: 'two'})),
  create,
]
