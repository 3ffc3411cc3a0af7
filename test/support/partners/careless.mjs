/**
 * A sample partner that is careless: it gets a token for each call, repeats a booking with a new key, and works on an event before
 * it answers.
 */
import {createHmac, randomUUID} from 'node:crypto'
import {createServer} from 'node:http'
import process from 'node:process'
import {createInterface} from 'node:readline'
import {setTimeout as sleep} from 'node:timers/promises'

const {env} = process
const base = env.PARTNER_BASE_URL
const json = {'content-type': 'application/json'}

async function call(method, path, body, headers = {}) {
  const credentials = {client_id: env.PARTNER_CLIENT_ID, client_secret: env.PARTNER_CLIENT_SECRET}
  const scope = 'hotels:read reservations:read reservations:write'
  const asked = JSON.stringify({grant_type: 'client_credentials', ...credentials, scope})
  const granted = await fetch(`${base}/oauth/token`, {method: 'POST', headers: json, body: asked})
  const authorization = `Bearer ${(await granted.json()).data.access_token}`
  const sent = {...json, ...headers, authorization}
  return fetch(base + path, {method, headers: sent, body: body && JSON.stringify(body)})
}

async function trip() {
  const found = await call('POST', '/hotels/search', JSON.parse(env.PARTNER_SEARCH))
  const {offers} = (await found.json()).data
  const booking = {offer_id: offers[0].offer_id, client_reference_id: randomUUID()}
  const body = {...JSON.parse(env.PARTNER_TRIP), ...booking}
  const book = () => call('POST', '/reservations/hotel', body, {'idempotency-key': randomUUID()})
  const answer = await book().then(
    first => (first.ok ? first : book()),
    () => book(),
  )
  if (!answer.ok) return 'failed'
  const reference = (await answer.json()).data.reservation_ref
  const voucher = await call('GET', `/reservations/${reference}/voucher`)
  await fetch((await voucher.json()).data.voucher.url)
  await call('GET', `/reservations/${reference}`)
  return 'done'
}

const server = createServer(async (request, answer) => {
  const raw = Buffer.concat(await request.toArray())
  const [, time, hmac] = request.headers['x-service-signature'].match(/^t=(\d+),v1=(\w+)$/)
  const expected = createHmac('sha256', env.PARTNER_SIGNING_SECRET).update(`${time}.`).update(raw)
  if (expected.digest('hex') !== hmac) return answer.writeHead(401).end()
  await sleep(3500)
  answer.end()
})
server.listen(env.PARTNER_PORT, '127.0.0.1', () => console.log('ready'))
for await (const _ of createInterface({input: process.stdin})) console.log(await trip())
