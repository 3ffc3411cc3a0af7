/** The questions of `login`, and when it refuses. */
import {expect, test} from 'vitest'
import {
  type LoginFlags,
  type LoginInput,
  logInPatiently,
  nextSteps,
  readLogin,
} from '../../../../src/cli/features/access/login.js'
import type {Question} from '../../../../src/cli/terminal/prompts/ask.js'
import {Failure} from '../../../../src/contract/failure.js'
import type {State} from '../../../../src/state/state.js'
import {rejectionOf, thrownBy} from '../../../support/thrown.js'

const state = {settings: {read: () => ({profiles: {}})}} as unknown as State
const URL_OF_LIVE = 'https://service.test/v1'

/** Returns the questions for these flags and the secret in the environment. */
async function questionsFor(flags: LoginFlags, secret?: string): Promise<readonly Question[]> {
  let asked: readonly Question[] = []
  const env = secret === undefined ? {} : {BOOKCTL_CLIENT_SECRET: secret}
  await readLogin(flags, env, state, async questions => {
    asked = questions
    return questions.map(({flag}) => ANSWERS[flag] ?? '')
  })
  return asked
}

const ANSWERS: Record<string, string> = {
  '--base-url': URL_OF_LIVE,
  '--client-id': 'cid_1',
  '--client-secret-stdin': 'sk_test_1',
}

test.each<[string, LoginFlags, string?]>([
  ['invalid_base_url', {'base-url': 'http://service.test/v1'}],
  ['invalid_client_id', {'base-url': URL_OF_LIVE, 'client-id': 'me'}],
  ['invalid_client_secret', {}, 'no-secret'],
  ['live_key_on_loopback', {'base-url': 'http://127.0.0.1/v1'}, 'sk_live_1'],
])('%s is reported before any question', async (code, flags, secret) => {
  const env = secret === undefined ? {} : {BOOKCTL_CLIENT_SECRET: secret}
  const login = readLogin(flags, env, state, () => expect.fail('asked'))
  expect((await rejectionOf(login)).details.code).toBe(code)
})

test.each([
  ['--client-id', {}],
  ['BOOKCTL_CLIENT_ID', {BOOKCTL_CLIENT_ID: 'me'}],
])('a client id that is none is named with its place: %s', async (place, env) => {
  const login = readLogin({'base-url': URL_OF_LIVE, 'client-id': 'me'}, env, state, () =>
    expect.fail('asked'),
  )
  expect((await rejectionOf(login)).message).toMatch(new RegExp(`^${place}: the client id`))
})

const REFUSED = new Failure('not_allowed', 'no such client', {code: 'invalid_client', status: 401})
const CHECKED = {message: 'no such client', details: {hint: expect.stringContaining('check the client id')}}
const INPUT = {profile: 'p', baseUrl: URL_OF_LIVE, clientId: 'cid_1', scopes: undefined, keychain: false}

/** Logs in with the secret `first`, then with those in `answers`. Only `right` is accepted. */
async function attempts(first: string, answers: string[], failure = REFUSED, asks = true) {
  const tried: string[] = []
  const askedFor = asks ? {flag: '--client-secret-stdin', message: 'Client secret', secret: true} : undefined
  const attempt = async ({clientSecret}: LoginInput) => {
    tried.push(clientSecret)
    if (clientSecret !== 'right') throw failure
  }
  const problems: string[] = []
  const ask = async (questions: readonly Question[]) => {
    expect(questions).toMatchObject([{secret: true, message: 'Client secret of cid_1, again'}])
    return answers.splice(0, 1)
  }
  const done = logInPatiently({input: {...INPUT, clientSecret: first}, askedFor}, attempt, ask, text => {
    problems.push(text)
  })
  return {failed: await done.catch(error => error), tried, problems}
}

test('a refused secret is asked for again at a terminal, at most twice', async () => {
  const again = {failed: undefined, tried: ['wrong', 'right'], problems: ['Error: no such client']}
  expect(await attempts('wrong', ['right'])).toEqual(again)
  const three = {failed: CHECKED, tried: ['a', 'b', 'c']}
  expect(await attempts('a', ['b', 'c', 'right'])).toMatchObject(three)
})

test('a given secret is tried only once, and so is any secret after another failure', async () => {
  const once = await attempts('wrong', ['right'], REFUSED, false)
  expect(once).toMatchObject({failed: CHECKED, tried: ['wrong']})
  const down = new Failure('unreachable', 'down', {code: 'refused'})
  expect(await attempts('wrong', ['right'], down)).toMatchObject({failed: down, tried: ['wrong']})
})

test('the next steps are those that the scopes and the profile allow', () => {
  const steps = (scopes: string[], current?: string) => nextSteps({profile: 'two', scopes}, current).join(' ')
  expect(steps(['account:read', 'reservations:write'], 'two')).toBe(
    'Next:   see the account: bookctl account   book, step by step: bookctl reserve',
  )
  expect(steps(['webhooks:read'], 'one')).toMatch(
    /bookctl profiles use two .*bookctl whoami --check --profile two/,
  )
})

test('each answer is checked at once', async () => {
  const [baseUrl, clientId, secret] = await questionsFor({})
  expect(thrownBy(() => baseUrl?.check?.('https://service.test/v2')).message).toContain('/v1')
  expect(thrownBy(() => clientId?.check?.('me')).message).toContain('cid_')
  expect(thrownBy(() => secret?.check?.('hush-hush')).message).not.toContain('hush')
  baseUrl?.check?.('http://127.0.0.1/v1')
  expect(thrownBy(() => secret?.check?.('sk_live_1')).details.code).toBe('live_key_on_loopback')
  secret?.check?.('sk_test_1')
})
