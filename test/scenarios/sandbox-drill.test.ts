/** `sandbox drill`: bookctl itself under every drill of requests, a receiver under those of events, and wrong arguments. */
import {expect, test} from 'vitest'
import {ownSandbox} from '../support/served-sandbox.js'
import {GUESTS, offerIn} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'

interface List {
  readonly client_id: string
  readonly drills: {
    readonly drill: string
    readonly rule: string
    readonly shown: boolean
    readonly verdict: string
  }[]
}

interface Sheet {
  readonly rules: {readonly rule: string; readonly verdict: string; readonly drills: string[]}[]
}

test('bookctl passes the drills of requests, and the list says which were shown', async () => {
  const {home} = await ownSandbox()
  const list = async () => (await home.json<List>(['sandbox', 'drill'])).result
  const before = await list()
  expect(before.client_id).toBe('cid_sandbox')
  expect(before.drills).toHaveLength(12)
  expect(before.drills.every(({shown, verdict}) => !shown && verdict === 'not_shown')).toBe(true)

  const book = async () =>
    home.run(['reserve', await offerIn(home), ...GUESTS, '--pay', 'account', '--quiet'])
  const armed = ['lost-answer', 'failing', 'busy', 'expired-token']
  const {exit, result} = await home.json<{drills: {drill: string; fault: object}[]}>([
    ...['sandbox', 'drill', ...armed],
  ])
  expect(exit).toBe(0)
  expect(result.drills.map(({drill}) => drill)).toEqual(armed)
  expect(result.drills[2]?.fault).toMatchObject({kind: 'status', status: 429, retry_after: 2})
  const listed = await home.run(['sandbox', 'fault', 'list', '--format', 'csv'])
  expect(listed.stdout).toMatch(/,client_id\n(.*,cid_sandbox\n){4}$/)
  expect((await book()).exit).toBe(0)
  await home.run(['sandbox', 'drill', 'sold-out'])
  expect((await book()).exit).toBe(5)
  await home.run(['sandbox', 'drill', 'used-offer'])
  await book()
  expect((await home.json<{faults: object[]}>(['sandbox', 'fault', 'list'])).result.faults).toEqual([])

  const after = await list()
  const shown = after.drills.filter(each => each.shown).map(({drill}) => drill)
  expect(shown).toEqual([...armed, 'used-offer', 'sold-out'])
  const failed = after.drills.filter(({verdict}) => verdict === 'failed')
  expect(failed).toEqual([])

  const sheet = (await home.json<Sheet>(['sandbox', 'certify'])).result
  const drillsOf = (wanted: string) => sheet.rules.find(({rule}) => rule === wanted)?.drills
  expect(drillsOf('reserve.lost_answer')).toEqual([])
  expect(drillsOf('webhook.signature')).toEqual(['forged-event', 'old-event'])
  expect(drillsOf('webhook.signature_status')).toEqual(['forged-event', 'old-event'])
  const {stdout} = await home.run(['sandbox', 'certify'])
  expect(stdout).toContain('(bookctl sandbox drill duplicate-event)')
})

test('sends events at once, and plays the disorder of a seed up to the first wrong answer', async () => {
  const {home} = await ownSandbox()
  const create = [
    'webhooks',
    'create',
    '--url',
    'https://127.0.0.1:1/hooks',
    '--event',
    'reservation.updated',
  ]
  await home.run(create)
  const {exit, result} = await home.json<{
    drills: {deliveries: {status: null; error: string; forgery: string | null}[]}[]
  }>(['sandbox', 'drill', 'old-event'])
  expect(exit).toBe(0)
  // Nothing listens at the address.
  expect(result.drills[0]?.deliveries).toMatchObject([
    {status: null, error: expect.stringContaining('ECONNREFUSED'), forgery: null},
    {status: null, forgery: 'timestamp'},
  ])
  const chaos = await home.json<{subscriptions: object[]}>(['sandbox', 'drill', '--chaos', '7'])
  expect(chaos.exit).toBe(3)
  expect(chaos.result).toMatchObject({client_id: 'cid_sandbox', seed: '7'})
  expect(chaos.result.subscriptions).toMatchObject([
    {ok: false, repeatable: true, shortest: [{again: false}]},
  ])
  const screen = atTerminal(home, ['sandbox', 'drill', '--chaos', '7'], {columns: 90, rows: 30})
  expect(await screen.exit).toBe(3)
  expect(screen.screen()).toMatch(/^ {2}1\. reservation\.updated evt_/m)
})

test.each([
  [['nonsense'], 'unknown_drill'],
  [['lost-answer', 'sold-oot'], 'unknown_drill'],
  [['lost-answer', '--operation', 'account.show'], 'invalid_flag'],
  [['--operation', 'account.show'], 'invalid_flag'],
  [['busy', '--slow', '5'], 'invalid_flag'],
  [['slow', '--slow', '0'], 'invalid_flag'],
  [['slow', '--slow', '601'], 'invalid_flag'],
  [['busy', '--chaos', '7'], 'conflicting_flags'],
  [['--chaos', 'two words'], 'invalid_flag'],
])('refuses %j', async (argv, code) => {
  const {home} = await ownSandbox()
  const refused = await home.refusal(['sandbox', 'drill', ...argv])
  expect([refused.exit, refused.code]).toEqual([2, code])
})

test('names what is missing: a subscription, a client, a sandbox', async () => {
  const {home} = await ownSandbox()
  const none = await home.refusal(['sandbox', 'drill', 'disorder'])
  expect([none.exit, none.code]).toEqual([5, 'subscription_not_found'])
  expect(none.hint).toContain('bookctl webhooks create')
  expect((await home.refusal(['sandbox', 'drill', 'busy', '--client', 'cid_none'])).exit).toBe(5)
  const dry = await home.json(['sandbox', 'drill', 'busy', '--dry-run'])
  expect(dry.result).toMatchObject({body: {client_id: 'cid_sandbox', drills: ['busy']}})
})
