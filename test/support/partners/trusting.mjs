/** A sample partner that books rightly, and takes every event for one of the service: it never checks a signature. */
import {randomUUID} from 'node:crypto'
import {createServer} from 'node:http'
import process from 'node:process'
import {createInterface} from 'node:readline'

const {env} = process
const base = env.PARTNER_BASE_URL
const json = {'content-type': 'application/json'}
let authorization

async function call(method, path, body) {
  const headers = {...json, authorization, 'idempotency-key': randomUUID()}
  const answer = await fetch(base + path, {method, headers, body: body && JSON.stringify(body)})
  return (await answer.json()).data
}

async function signIn() {
  const credentials = {client_id: env.PARTNER_CLIENT_ID, client_secret: env.PARTNER_CLIENT_SECRET}
  const scope = 'hotels:read reservations:write'
  const body = JSON.stringify({grant_type: 'client_credentials', ...credentials, scope})
  const granted = await fetch(`${base}/oauth/token`, {method: 'POST', headers: json, body})
  authorization = `Bearer ${(await granted.json()).data.access_token}`
}

async function trip() {
  if (!authorization) await signIn()
  const {offers} = await call('POST', '/hotels/search', JSON.parse(env.PARTNER_SEARCH))
  const booking = {offer_id: offers[0].offer_id, client_reference_id: randomUUID()}
  await call('POST', '/reservations/hotel', {...JSON.parse(env.PARTNER_TRIP), ...booking})
  return 'done'
}

const events = new Map()
const server = createServer(async (request, answer) => {
  const event = JSON.parse(Buffer.concat(await request.toArray()).toString())
  events.set(event.id, event)
  answer.end()
})
server.listen(env.PARTNER_PORT, '127.0.0.1', () => console.log('ready'))
for await (const _ of createInterface({input: process.stdin})) console.log(await trip())
