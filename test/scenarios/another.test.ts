/** A service that answers about something other than what was asked for, and what a person and a script get to know. */
import {afterAll, afterEach, beforeAll, beforeEach, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {answer, ScriptedService} from '../support/scripted-service.js'

const PATHS = {
  'hotels.show': '/x/hotel/{hotel_id}',
  'subscriptions.update': '/x/hook/{subscription_id}',
  'subscriptions.delete': '/x/hook/{subscription_id}/gone',
}
const ASKED_URL = 'https://partner.example/hooks'
const MADE = {id: 'whsub_1', url: ASKED_URL, events: ['voucher.ready'], is_active: true}

let service: ScriptedService
let home: Home
/** What each path answers. */
let answers: Record<string, object>

beforeAll(async () => {
  service = await ScriptedService.start()
  service.tokenMilliseconds = 0
  service.script = ({path}, response) => {
    const found = answers[path]
    if (found) answer(response, 200, found)
    return found !== undefined
  }
})
afterAll(() => service.close())
beforeEach(() => {
  answers = {}
  service.forget()
  home = new Home(service.env)
  home.configure({profiles: {default: {base_url: service.baseUrl, client_id: 'cid_test', paths: PATHS}}})
})
afterEach(() => home.remove())

function storedSecrets(): string[] {
  const state = openState(home.configDirectory)
  try {
    return state.secrets.listSigningSecrets('default').map(({secret}) => secret)
  } finally {
    state.close()
  }
}

const FORMS = [[], ['--json'], ['--quiet'], ['--format', 'csv'], ['--format', 'ndjson'], ['--columns', 'id']]

test.each([
  [6, 'hotel', ['hotels', 'show', '7'], '/x/hotel/7', {property: {id: 8, hotelName: 'Otel'}}],
  [10, 'subscription', ['webhooks', 'delete', 'whsub_1', '--yes'], '/x/hook/whsub_1/gone', {webhookId: 'W'}],
] as const)('exit %i for another %s: %j', async (exit, what, argv, path, json) => {
  answers = {[path]: json}
  for (const form of FORMS.filter(([flag]) => flag !== '--columns')) {
    const run = await home.run([...argv, ...form])
    const isJson = form[0] === '--json'
    expect([run.exit, isJson || run.stdout === '']).toEqual([exit, true])
    const {error} = isJson ? JSON.parse(run.stdout) : {error: {message: run.stderr}}
    expect(error.message).toMatch(new RegExp(`about another ${what}, \\S+ in place of ${argv[2]}`))
    if (isJson) expect(error.code).toBe(`another_${what}`)
  }
  expect(service.seen(path).length).toBe(FORMS.length - 1)
})

test('the secret of a subscription is kept when the answer says that another one was deleted', async () => {
  const state = openState(home.configDirectory)
  state.secrets.putSigningSecret({
    ...{subscription_id: 'whsub_1', profile: 'default', secret: 'whsec_1', stored_at: 1},
  })
  state.close()
  answers = {'/x/hook/whsub_1/gone': {id: 'whsub_2', deleted: true}}
  expect((await home.run(['webhooks', 'delete', 'whsub_1', '--yes'])).exit).toBe(10)
  expect(storedSecrets()).toEqual(['whsec_1'])
})

test.each(FORMS.map(form => [form]))(
  'a subscription made other than asked for is stored, printed, and warned of: %j',
  async form => {
    const made = {
      ...MADE,
      url: 'https://elsewhere.example/',
      events: ['payment.failed'],
      secret: 'whsec_once',
    }
    answers = {'/webhooks/subscriptions': {data: made}}
    const create = ['webhooks', 'create', '--url', ASKED_URL, '--event', 'voucher.ready', ...form]
    const {exit, stdout, stderr} = await home.run(create)
    expect([exit, storedSecrets()]).toEqual([0, ['whsec_once']])
    expect(stdout).toContain('whsub_1')
    if (form[0] === '--json') expect(JSON.parse(stdout).subscription).toEqual(made)
    expect(stderr).toContain(
      `Warning: the service answered that the subscription whsub_1 has url https://elsewhere.example/ in place of ${ASKED_URL} and events payment.failed in place of voucher.ready; change it with bookctl webhooks update whsub_1, or delete it`,
    )
    // Its creation has an end: the next one for this address is not held back.
    expect((await home.run(create)).exit).toBe(0)
  },
)

test('a subscription that is not what it was changed to is printed, and warned of', async () => {
  answers = {'/x/hook/whsub_1': {data: {...MADE, is_active: false}}}
  const {exit, result, stderr} = await home.json(['webhooks', 'update', 'whsub_1', '--active'])
  expect({exit, result}).toEqual({exit: 0, result: {subscription: {...MADE, is_active: false}}})
  expect(stderr).toContain('the subscription whsub_1 has is_active false in place of true')
})
