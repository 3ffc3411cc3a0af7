/** The certificate of a client on the dashboard: what failed first, with the requests that prove it, and what was not shown. */
import {expect, test} from 'vitest'
import {closing} from '../../support/own.js'
import {startSubscriber} from '../../support/subscriber.js'
import {readPage, sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({inProcess: true, allowHttpLoopback: true})

const read = async (path: string) => (await readPage(sandbox, path)).text
const sheetOf = async (clientId: string) =>
  (await sandbox.control('GET', `/_sandbox/certificate?client_id=${clientId}`)).json.data
const partsIn = (page: string) => Array.from(page.matchAll(/<h2 id="(\w+)">/g), ([, id]) => id)
const linksIn = (page: string, list: string) =>
  Array.from(page.matchAll(new RegExp(`href="(/ui/${list}/[^"]+)"`, 'g')), ([, path = '']) => path)

test('a client that did nothing has shown nothing: each rule has its drill, if there is one', async () => {
  const page = await read('/ui/certificate?client=cid_sandbox_poor')
  const {rules, not_shown} = await sheetOf('cid_sandbox_poor')
  expect(not_shown).toBe(rules.length)
  expect(partsIn(page)).toEqual(['summary', 'unseen'])
  expect(page).toContain(`0 passed, 0 failed, ${not_shown} not shown`)
  expect(page).toContain('0 requests, 0 deliveries')
  for (const {rule, text, drills} of rules) {
    expect(page).toContain(rule)
    expect(page).toContain(
      drills.length > 0 ? `${text} (bookctl sandbox drill ${drills[0]})` : `${text}</bdi>`,
    )
  }
})

test('what failed comes first, with its fix and its evidence, then advice, then what passed', async () => {
  const {origin} = closing(await startSubscriber(answer => answer.writeHead(500).end()))
  await client.call('POST', '/webhooks/subscriptions', {
    url: `${origin}/hooks`,
    events: ['reservation.confirmed'],
  })
  await client.call('GET', '/account?client_secret=sk_test_sandbox')
  const [offer] = await client.search()
  expect((await client.convert(offer, {payment: {mode: 'account'}}, 'no-uuid')).status).toBe(201)
  await sandbox.control('POST', '/_sandbox/drills', {drills: ['duplicate-event']})

  const page = await read('/ui/certificate')
  const sheet = await sheetOf('cid_sandbox')
  expect(partsIn(page)).toEqual(['summary', 'failed', 'advice', 'passed', 'unseen'])
  expect(page).toContain(`${sheet.passed} passed, 3 failed (1 of them advice), ${sheet.not_shown} not shown`)
  const part = (id: string) => page.split(`<h2 id="${id}">`)[1]?.split('</section>')[0] ?? ''
  expect(part('failed')).toContain('secret.place §5.4')
  expect(part('failed')).toContain('webhook.answer §6.4')
  expect(part('advice')).toContain('reserve.key_uuid §4.4 (advice)')
  for (const {verdict, text, advice, required, evidence} of sheet.rules) {
    if (verdict !== 'failed') continue
    const shown = part(required ? 'failed' : 'advice')
    for (const words of [text, advice, ...evidence]) expect(shown).toContain(words)
  }
  for (const list of ['requests', 'deliveries']) {
    const [path = ''] = linksIn(part('failed'), list)
    expect([list, (await readPage(sandbox, path)).status]).toEqual([list, 200])
  }
  expect(page).not.toContain('sk_test_sandbox')
})

test('the evidence of a request that the log has dropped can still be read', async () => {
  await client.call('GET', '/account?client_secret=sk_test_sandbox')
  for (let n = 0; n < 200; n++) await client.call('GET', '/account')
  const {rules} = await sheetOf('cid_sandbox')
  const [id] = rules.find(({rule}: {rule: string}) => rule === 'secret.place').evidence
  expect(linksIn(await read('/ui/certificate'), 'requests')).toContain(`/ui/requests/${id}`)
  expect((await sandbox.listed('requests')).map(({request_id}) => request_id)).not.toContain(id)
  const page = await read(`/ui/requests/${id}`)
  for (const text of [id, 'account.show', 'cid_sandbox', 'Not kept']) expect(page).toContain(text)
  expect((await readPage(sandbox, '/ui/requests/req_unknown')).status).toBe(404)
})

test('each client has its own certificate, linked from the overview and from the other certificates', async () => {
  for (const from of ['/', '/ui/certificate'])
    expect(await read(from)).toContain('href="/ui/certificate?client=cid_sandbox_poor"')
  expect(await read('/')).toContain('<a href="/ui/certificate">Certificate</a>')
  const other = await readPage(sandbox, '/ui/certificate?client=cid_other')
  expect([other.status, other.text]).toEqual([404, expect.stringContaining('not found')])
})
