/** What `login` asks, and when it refuses. */
import {expect, test} from 'vitest'
import {type LoginFlags, readLogin} from '../../src/cli/features/access/login.js'
import type {Question} from '../../src/cli/terminal/prompts/ask.js'
import type {State} from '../../src/state/state.js'
import {rejectionOf, thrownBy} from '../support/thrown.js'

const state = {settings: {read: () => ({profiles: {}})}} as unknown as State
const URL_OF_LIVE = 'https://service.test/v1'

/** What is asked, given `flags` and the environment's secret. */
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

test('each answer is checked at once', async () => {
  const [baseUrl, clientId, secret] = await questionsFor({})
  expect(thrownBy(() => baseUrl?.check?.('https://service.test/v2')).message).toContain('/v1')
  expect(thrownBy(() => clientId?.check?.('me')).message).toContain('cid_')
  expect(thrownBy(() => secret?.check?.('hush-hush')).message).not.toContain('hush')
  baseUrl?.check?.('http://127.0.0.1/v1')
  expect(thrownBy(() => secret?.check?.('sk_live_1')).details.code).toBe('live_key_on_loopback')
  secret?.check?.('sk_test_1')
})
