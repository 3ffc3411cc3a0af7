/** A sample partner that does everything right. After a lost answer it searches for the booking before it repeats it. */
import {createHmac, randomUUID} from 'node:crypto'
import {createServer} from 'node:http'
import process from 'node:process'
import {createInterface} from 'node:readline'
import {setTimeout as sleep} from 'node:timers/promises'

const {env} = process
const base = env.PARTNER_BASE_URL
let token

async function signIn() {
  const credentials = {client_id: env.PARTNER_CLIENT_ID, client_secret: env.PARTNER_CLIENT_SECRET}
  const scope = 'hotels:read reservations:read reservations:write'
  const asked = {grant_type: 'client_credentials', ...credentials, scope}
  const answer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify(asked),
  })
  return (await answer.json()).data.access_token
}

/** Returns the status and the data of the answer; the status is 0 if there was none. */
async function send(method, path, body, key) {
  token ??= signIn()
  const headers = {'content-type': 'application/json', authorization: `Bearer ${await token}`}
  if (key) headers['idempotency-key'] = key
  try {
    const answer = await fetch(base + path, {method, headers, body: body && JSON.stringify(body)})
    const retryAfter = Number(answer.headers.get('retry-after') ?? 1)
    return {status: answer.status, retryAfter, data: (await answer.json()).data}
  } catch {
    return {status: 0, retryAfter: 1}
  }
}

async function call(method, path, body, key) {
  const answer = await send(method, path, body, key)
  if (answer.status !== 401) return answer
  token = undefined
  return send(method, path, body, key)
}

async function book(body) {
  const key = randomUUID()
  for (;;) {
    const answer = await call('POST', '/reservations/hotel', body, key)
    if (answer.data) return answer.data.reservation_ref
    if (answer.status === 0 || answer.status >= 500) {
      const {data} = await call('GET', `/reservations?client_reference_id=${body.client_reference_id}`)
      if (data?.length > 0) return data[0].reservation_ref
    } else if (answer.status !== 429) return undefined
    await sleep(answer.retryAfter * 1000)
  }
}

async function trip() {
  const {offers} = (await call('POST', '/hotels/search', JSON.parse(env.PARTNER_SEARCH))).data
  const offer = offers.find(({refundable}) => !refundable)
  const booking = {offer_id: offer.offer_id, client_reference_id: randomUUID()}
  const reference = await book({...JSON.parse(env.PARTNER_TRIP), ...booking})
  if (reference === undefined) return 'refused'
  let voucher = await call('GET', `/reservations/${reference}/voucher`)
  for (; voucher.status === 409; await sleep(1000))
    voucher = await call('GET', `/reservations/${reference}/voucher`)
  await fetch(voucher.data.voucher.url)
  await call('GET', `/reservations/${reference}/cancellation-quote`)
  await call('POST', `/reservations/${reference}/cancel`, {})
  return 'done'
}

const known = new Set()
const server = createServer(async (request, answer) => {
  const raw = Buffer.concat(await request.toArray())
  const [, time, hmac] = request.headers['x-service-signature'].match(/^t=(\d+),v1=(\w+)$/)
  const expected = createHmac('sha256', env.PARTNER_SIGNING_SECRET).update(`${time}.`).update(raw)
  const isGenuine = expected.digest('hex') === hmac && Math.abs(Date.now() / 1000 - time) <= 300
  if (isGenuine) known.add(JSON.parse(raw).id)
  answer.writeHead(isGenuine ? 200 : 401).end()
})
server.listen(env.PARTNER_PORT, '127.0.0.1', () => console.log('ready'))
for await (const _ of createInterface({input: process.stdin})) console.log(await trip())
