/** The dashboard in process: what each page shows, and what its forms do. */
import {createHash} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {closing} from '../../support/own.js'
import {ADULT} from '../../support/sandbox.js'
import {startSubscriber} from '../../support/subscriber.js'
import {readPage, sandboxForEachTest, sendForm} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({inProcess: true, allowHttpLoopback: true})

const instant = {payment: {mode: 'instant'}}
const events = async () => await sandbox.listed('events')
/** Reads a page without the marks at which a path may be broken. */
const read = async (path: string) => (await readPage(sandbox, path)).text.replace(/<\/?(?:wbr|span)>/g, '')
const rows = async (path: string) => (await read(path)).split('<tbody')[1]?.split('<tr').length ?? 1

describe('reading', () => {
  it('shows its address and how to connect bookctl', async () => {
    const page = await read('/')
    expect(page).toContain(`export BOOKCTL_BASE_URL=${sandbox.baseUrl}`)
    for (const text of [sandbox.baseUrl, 'cid_sandbox', 'sk_test_sandbox', 'sk_test_sandbox_poor']) {
      expect(page).toContain(`data-copy="${text}"`)
    }
    expect(page).toContain('100000.00 EUR')
    expect(page).toContain('2030-06-01 12:00:00 UTC')
    expect(page).toContain('No reservations yet.')
  })

  it('links to no other host, whatever path was asked for', async () => {
    const {status, text} = await readPage(sandbox, '//evil.example/x', {headers: {accept: 'text/html'}})
    const links = Array.from(text.matchAll(/(?:href|action|src)="([^"]*)"/g), ([, to = '']) => to)
    expect([status, links.filter(to => !/^(\/(?!\/)|#main$|data:,$)/.test(to))]).toEqual([404, []])
  })

  it('shows reservations first, then requests', async () => {
    const page = await read('/')
    const headings = Array.from(page.matchAll(/<h2 id="(\w+)">/g), ([, id]) => id)
    expect(headings.slice(0, 2)).toEqual(['reservations', 'requests'])
    const sections = Array.from(page.matchAll(/<li><a href="([^"]*)"/g), ([, path]) => path)
    expect(sections.slice(0, 3)).toEqual(['/', '/ui/reservations', '/ui/requests'])
  })

  it('shows everything about a reservation, but no whole identity number', async () => {
    const {reservation_ref, hotel, price, hotel_confirmation_number} = await client.book()
    const page = await read(`/ui/reservations/${reservation_ref}`)
    for (const text of [hotel.name, price.total, hotel_confirmation_number, 'Ayşe Öğüt', 'voucher.ready']) {
      expect(page).toContain(text)
    }
    expect(page).toContain('•••••••••46')
    expect(page).not.toContain(ADULT.identity.number)
    const [, voucher = ''] = /href="(\/vouchers\/[^"]+)"/.exec(page) ?? []
    expect((await readPage(sandbox, voucher)).headers.get('content-type')).toBe('application/pdf')
  })

  it('shows the ledger of a client, newest first, with what a reservation was charged', async () => {
    const [offer] = await client.search({currency: 'JPY'})
    const {reservation_ref, payment} = (await client.convert(offer)).json.data
    const {amount, rate} = payment.charged
    await sandbox.advance(60)
    await client.call('POST', `/reservations/${reservation_ref}/cancel`, {})
    const page = await read('/ui/ledger')
    const kinds = Array.from(page.matchAll(/<bdi>(booking|refund|fee)</g), ([, kind]) => kind)
    expect(kinds.at(-1)).toBe('booking')
    expect(kinds.at(-2)).toBe('refund')
    for (const text of [`-${amount} EUR`, `>${amount} EUR`, '100000.00 EUR', reservation_ref])
      expect(page).toContain(text)
    const reservation = await read(`/ui/reservations/${reservation_ref}`)
    expect(reservation).toContain(`${amount} EUR`)
    expect(reservation).toContain(`at the rate ${rate}`)
    expect(reservation).toContain('href="/ui/ledger?client=cid_sandbox"')
    expect(await read('/')).toContain('href="/ui/ledger?client=cid_sandbox_poor"')
    expect(await read('/ui/ledger?client=cid_sandbox_poor')).toContain('No entries.')
    const other = await readPage(sandbox, '/ui/ledger?client=cid_other')
    expect([other.status, other.text]).toEqual([404, expect.stringContaining('not found')])
  })

  it('pages a long ledger', async () => {
    const offers = await client.search()
    for (const offer of offers.slice(0, 27)) {
      const {reservation_ref} = (await client.convert(offer, {client_reference_id: offer.offer_id})).json.data
      await client.call('POST', `/reservations/${reservation_ref}/cancel`, {})
    }
    const [, older = ''] =
      /href="([^"]+)" rel="next"/.exec(
        (await read('/ui/ledger?client=cid_sandbox')).replaceAll('&amp;', '&'),
      ) ?? []
    expect(older).toContain('client=cid_sandbox')
    expect(await rows('/ui/ledger')).toBe(51)
    const last = await read(older)
    expect(last).toContain('booking')
    expect(last).not.toContain('rel="next"')
  })

  it('says which reservation a delivery is about, and finds the deliveries of one', async () => {
    await client.call('POST', '/webhooks/subscriptions', {
      url: 'https://partner.example/hooks',
      events: ['voucher.ready'],
    })
    const [one, other] = [await client.book(), await client.book({client_reference_id: 'other'})]
    const [{delivery_id}] = await sandbox.listed('deliveries')
    expect(await read(`/ui/deliveries/${delivery_id}`)).toContain(`/ui/reservations/${one.reservation_ref}"`)
    const found = await read(`/ui/deliveries?reservation=${other.reservation_ref}`)
    expect(found).toContain(`/ui/reservations/${other.reservation_ref}"`)
    expect(found).not.toContain(one.reservation_ref)
  })

  it('finds reservations by reference, name and status', async () => {
    const paid = await client.book()
    const pending = await client.book({...instant, client_reference_id: 'SUMMER-100%_7'})
    const found = async (query: Record<string, string>) => {
      const page = await read(`/ui/reservations?${new URLSearchParams(query)}`)
      for (const name of Object.keys(query)) expect(page).toContain(` name="${name}"`)
      return [paid, pending].map(each => page.includes(each.reservation_ref))
    }
    expect(await found({})).toEqual([true, true])
    expect(await found({status: 'PENDING_PAYMENT'})).toEqual([false, true])
    expect(await found({search: '100%_7'})).toEqual([false, true])
    expect(await found({search: `${paid.reservation_ref} ayşe`})).toEqual([true, false])
    expect(await found({search: "' OR 1=1 --"})).toEqual([false, false])
  })

  it('shows an event with its body and its subscribers', async () => {
    const wanted = {url: 'https://receiver.example/hook', events: ['reservation.confirmed']}
    await client.call('POST', '/webhooks/subscriptions', wanted)
    await client.book()
    const [confirmed, voucher] = await events()
    const page = await read(`/ui/events/${confirmed.id}`)
    expect(page).toContain('&quot;type&quot;: &quot;reservation.confirmed&quot;')
    expect(page).toContain('https://receiver.example/hook')
    expect(await read(`/ui/events/${voucher.id}`)).toContain('No subscribers')
    expect(await read('/ui/subscriptions')).toContain('https://receiver.example/hook')
    expect(await read('/ui/events?type=voucher.ready')).not.toContain(confirmed.id)
    await sandbox.control('POST', '/_sandbox/trigger', {type: 'payment.failed'})
    const linked = await read('/ui/events')
    expect(linked.split('"/ui/reservations/RSV-').length).toBe(3)
    expect(linked.split('RSV-0000000000').length).toBe(2)
  })

  it('shows the last requests without their secrets, by operation and outcome', async () => {
    await client.book()
    await client.call('GET', '/hotels/0')
    const page = await read('/ui/requests?operation=reservations.create')
    const [, id = ''] = /href="\/ui\/requests\/([^"]+)"/.exec(page) ?? []
    const one = await read(`/ui/requests/${id}`)
    expect(one).toContain('POST /partner-api/v1/reservations/hotel')
    expect(one).toContain('idempotency-key')
    expect(one).toMatch(/Answer[\s\S]{1,2000}reservation_ref/)
    for (const secret of [client.token, ADULT.identity.number]) expect(one).not.toContain(secret)
    expect(await rows('/ui/requests')).toBe(1 + 4)
    expect(await rows('/ui/requests?outcome=refused')).toBe(1 + 1)
    for (const outcome of ['no+such', '__proto__', 'hasOwnProperty', 'valueOf']) {
      expect(await rows(`/ui/requests?outcome=${outcome}`)).toBe(1 + 4)
    }
  })

  it('shows fifty entries a page, newest first, each once', async () => {
    for (let index = 0; index < 120; index += 1) await client.call('GET', `/hotels/${index}`)
    const seen: string[] = []
    for (let path: string | undefined = '/ui/requests?outcome=refused'; path; ) {
      const page: string = await read(path)
      seen.push(
        ...[...page.matchAll(/GET \/partner-api\/v1\/hotels\/(\d+)</g)].map(([, index = '']) => index),
      )
      path = /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen.slice(0, 2)).toEqual(['119', '118'])
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThan(100)
  })

  it('changes nothing', async () => {
    const {reservation_ref} = await client.book(instant)
    const before = [await events(), await sandbox.control('GET', '/_sandbox/requests')]
    for (const path of ['/', '/ui/reservations', `/ui/reservations/${reservation_ref}`, '/ui/faults']) {
      expect((await readPage(sandbox, path)).status).toBe(200)
    }
    const after = [await events(), await sandbox.control('GET', '/_sandbox/requests')]
    expect(JSON.stringify(after)).toBe(JSON.stringify(before))
  })

  it('reloads itself every 5 seconds on request', async () => {
    const refreshed = await read('/ui/events?refresh=5&type=voucher.ready')
    expect(refreshed).toContain('<meta http-equiv="refresh" content="5">')
    expect(refreshed).toContain('href="/ui/events?type=voucher.ready">Stop refreshing')
    expect(await read('/ui/events?done=paid')).toContain('href="/ui/events?refresh=5">Refresh every 5 s')
    for (const refresh of ['0', '', '5;url=https://evil.example'])
      expect(await read(`/ui/events?refresh=${encodeURIComponent(refresh)}`)).not.toContain('http-equiv')
  })
})

describe('forms', () => {
  /** Presses the first button of the page whose text begins with `text`. Returns the page to which the form leads. */
  async function press(path: string, text: string, typed: Record<string, string> = {}): Promise<string> {
    const forms = (await read(path)).split('<form ').map(part => part.split('</form>')[0] ?? '')
    const form = forms.find(each => new RegExp(`<button[^>]*>${text}`).test(each)) ?? ''
    const names = Array.from(form.matchAll(/name="([^"]*)"/g), ([, name]) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(typed)))
    const hidden = Array.from(form.matchAll(/name="([^"]*)" value="([^"]*)"/g), ([, ...field]) => field)
    const action = /action="([^"]*)"/.exec(form)?.[1] ?? ''
    const {status, headers} = await sendForm(sandbox, action, {...Object.fromEntries(hidden), ...typed})
    expect(status).toBe(303)
    return await read(headers.get('location') ?? '')
  }

  it('decline and pay, and show the outcome', async () => {
    const {reservation_ref} = await client.book(instant)
    const path = `/ui/reservations/${reservation_ref}`
    expect(await read(path)).toContain('in 15 min')
    const declined = await press(path, 'Decline the payment')
    for (const text of ['Declined', 'card_declined']) expect(declined).toContain(text)
    expect(await press(path, 'Pay \\d')).toContain('confirmed')
    expect((await client.get(`/reservations/${reservation_ref}`)).status).toBe('CONFIRMED')
    const again = await sendForm(sandbox, `${path}/payment`, {result: 'paid'})
    expect(again.status).toBe(409)
    expect(again.text).toContain('the reservation is not waiting for a payment')
    expect(again.text).toContain(`href="${path}"`)
  })

  it('advance the clock and return to the page they were sent from', async () => {
    const move = async (fields: Record<string, string>) => {
      const answer = await sendForm(sandbox, '/ui/clock', fields)
      return [answer.status, answer.headers.get('location')]
    }
    const back = '/ui/deliveries/dlv_1-_'
    expect(await move({advance_seconds: '60', back})).toEqual([303, `${back}?done=clock`])
    expect(await press('/', 'Advance<', {amount: '1.5', unit: 'hours'})).toContain('Latest reservations')
    expect((await sandbox.control('GET', '/_sandbox/clock')).json.now).toBe('2030-06-01T13:31:00.000Z')
    for (const back of ['//evil.example', '/ui//evil.example', 'https://evil.example', '/ui/a?b', '/pay/x']) {
      expect(await move({advance_seconds: '0', back})).toEqual([303, '/?done=clock'])
    }
    const wrong = [{}, {advance_seconds: '-1'}, {advance_seconds: 'x'}, {amount: '1', unit: 'toString'}]
    for (const fields of wrong) expect(await move(fields as Record<string, string>)).toEqual([400, null])
    expect((await sandbox.control('GET', '/_sandbox/clock')).json.now).toBe('2030-06-01T13:31:00.000Z')
  })

  it('deliver again, and advance the clock to the next attempt', async () => {
    let status = 500
    const {origin} = closing(await startSubscriber(answer => answer.writeHead(status).end()))
    await client.call('POST', '/webhooks/subscriptions', {url: origin, events: ['reservation.confirmed']})
    await client.book()
    const [{delivery_id}] = await sandbox.listed('deliveries')
    const path = `/ui/deliveries/${delivery_id}`
    expect(await press(path, 'Deliver again now')).toContain('number 2 of 8')
    const later = await press(path, 'Advance the clock to the next attempt')
    for (const text of ['Clock advanced', '2030-06-01 12:01:00 UTC']) expect(later).toContain(text)
    status = 200
    expect(await press(path, 'Deliver again now')).toContain('DELIVERED')
    expect(await rows(path)).toBe(1 + 2)
  })

  it('inject faults and remove them', async () => {
    const empty = {times: '', latency_ms: '', code: ''}
    const order = {operation: 'account.show', kind: 'status', status: '503', ...empty}
    expect((await sendForm(sandbox, '/ui/faults', order)).status).toBe(303)
    expect(await read('/ui/faults')).toContain('1 of 1')
    expect((await client.call('GET', '/account')).status).toBe(503)
    expect(await read('/ui/faults')).toContain('No active faults')
    const wrong = await sendForm(sandbox, '/ui/faults', {...order, status: ''})
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('status is required for this kind')
    const surplus = {retry_after: '5', latency_ms: '100', code: 'offer_expired'}
    await sendForm(sandbox, '/ui/faults', {...order, ...surplus, kind: 'latency'})
    const {operation} = order
    expect(await sandbox.listed('faults')).toEqual([
      {operation, kind: 'latency', latency_ms: 100, times: 1, left: 1},
    ])
    expect((await sendForm(sandbox, '/ui/faults', {...order, kind: 'none'})).status).toBe(400)
    await sendForm(sandbox, '/ui/faults', {...order, operation: '*'})
    await sendForm(sandbox, '/ui/faults/clear')
    expect((await client.call('GET', '/account')).status).toBe(200)
  })

  it('reset the sandbox', async () => {
    const {reservation_ref} = await client.book()
    await press('/', '\\+16 min')
    const page = await press('/', 'Delete everything')
    for (const text of ['Sandbox reset', 'No reservations yet.', '2030-06-01 12:00:00 UTC'])
      expect(page).toContain(text)
    expect((await readPage(sandbox, `/ui/reservations/${reservation_ref}`)).status).toBe(404)
    expect((await client.call('GET', '/account')).status).toBe(401)
  })

  it.each([
    {},
    {origin: 'null'},
    {origin: 'https://evil.example'},
    {'sec-fetch-site': 'cross-site'},
    {origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-origin'},
  ])('are refused from anywhere but the page itself: %o', async headers => {
    const {reservation_ref} = await client.book(instant)
    const payment = `/ui/reservations/${reservation_ref}/payment`
    const others = [
      '/ui/clock',
      '/ui/deliveries/dlv_x/redeliver',
      '/ui/faults',
      '/ui/faults/clear',
      '/ui/reset',
    ]
    for (const path of [payment, ...others]) {
      const fields = {result: 'paid', advance_seconds: '3600', operation: '*', kind: 'html'}
      expect([path, (await sendForm(sandbox, path, fields, headers)).status]).toEqual([path, 403])
    }
    const {json} = await client.call('GET', `/reservations/${reservation_ref}`)
    expect(json.data.status).toBe('PENDING_PAYMENT')
  })

  it('take a form and nothing else', async () => {
    const headers = {origin: sandbox.origin, 'content-type': 'application/json'}
    const init = {method: 'POST', headers, body: '{"advance_seconds":60}'}
    expect((await readPage(sandbox, '/ui/clock', init)).status).toBe(400)
  })
})

describe('an unknown path', () => {
  it.each([
    ['GET', '/ui/reservations/RSV-NONE', 404],
    ['GET', '/ui/events/evt_none', 404],
    ['GET', '/ui/deliveries/dlv_none', 404],
    ['GET', '/ui/requests/req_none', 404],
    ['GET', '/ui/nothing', 404],
    ['GET', '/ui/reset', 405],
    ['POST', '/', 405],
  ])('%s %s is answered with a page, %i', async (method, path, status) => {
    const answer = await readPage(sandbox, path, {method})
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=UTF-8'])
    expect(answer.text).toContain('role="alert"')
  })

  it('is answered with a page to browsers, and with JSON to clients and on the paths of the API', async () => {
    const type = async (path: string, accept: string) => {
      const answer = await readPage(sandbox, path, {headers: {accept}})
      return [answer.status, answer.headers.get('content-type')?.split(';')[0]]
    }
    const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
    expect(await type('/nothing', browser)).toEqual([404, 'text/html'])
    expect(await type('/nothing', 'application/json')).toEqual([404, 'application/json'])
    expect(await type('/reservations', '*/*')).toEqual([404, 'application/json'])
    expect(await type('/partner-api/v1/nothing', browser)).toEqual([404, 'application/json'])
    expect(await type('/_sandbox/nothing', browser)).toEqual([404, 'application/json'])
  })
})

it('is sent with a content security policy that allows only its own script, no frames and no resources of other origins', async () => {
  for (const path of ['/', '/ui/requests', '/ui/nothing']) {
    const {headers, text} = await readPage(sandbox, path)
    const scripts = Array.from(text.matchAll(/<script>([^<]*)<\/script>/g), ([, script = '']) => script)
    expect([scripts.length, text.match(/<script/g)?.length]).toEqual([1, 1])
    const hash = createHash('sha256').update(scripts.join()).digest('base64')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy?.match(/script[^;]*/g)).toEqual([`script-src 'sha256-${hash}'`])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  }
})
