/** Texts that no store or terminal keeps as they are, or that nobody writes, are refused in every request (§8 shows no sizes). */
import {expect, test} from 'vitest'
import {ADULT, CONTACT, reservationRequest} from '../../support/sandbox.js'
import {sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

type Ask = (text: string) => ReturnType<typeof client.call>

const guest = (change: object) => ({guests: [{...ADULT, ...change}, ADULT]})
const reserve = (change: Record<string, unknown>) => client.reserve(reservationRequest('off_1', change))
const patch = (change: object) => client.call('PATCH', '/reservations/RSV-0123456789', change)
const token = (change: object) =>
  client.call('POST', '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: 'x',
    client_secret: 'x',
    scope: '',
    ...change,
  })
const subscribe = (change: object) =>
  client.call('POST', '/webhooks/subscriptions', {
    url: 'https://a.example/',
    events: ['voucher.ready'],
    ...change,
  })

const FIELDS: [field: string, ask: Ask][] = [
  ['client_reference_id', text => reserve({client_reference_id: text})],
  ['contact.name', text => reserve({contact: {...CONTACT, name: text}})],
  ['contact.surname', text => reserve({contact: {...CONTACT, surname: text}})],
  ['contact.email', text => reserve({contact: {...CONTACT, email: `${text}@example.com`}})],
  ['contact.phone_number', text => reserve({contact: {...CONTACT, phone_number: text}})],
  ['guests[0].name', text => reserve(guest({name: text}))],
  ['guests[0].surname', text => reserve(guest({surname: text}))],
  ['guests[0].type', text => reserve(guest({type: text}))],
  ['guests[0].gender', text => reserve(guest({gender: text}))],
  ['guests[0].identity.type', text => reserve(guest({identity: {type: text, number: '1'}}))],
  ['guests[0].identity.number', text => reserve(guest({identity: {type: 'PASSPORT', number: text}}))],
  ['contact.name', text => patch({contact: {name: text}})],
  ['guests[0].surname', text => patch(guest({surname: text}))],
  ['reason', text => client.call('POST', '/reservations/RSV-0123456789/cancel', {reason: text})],
  ['url', text => subscribe({url: `https://a.example/${text}`})],
  ['events[0]', text => subscribe({events: [text]})],
  [
    'url',
    text => client.call('PATCH', '/webhooks/subscriptions/whsub_1', {url: `https://a.example/${text}`}),
  ],
  ['client_id', text => token({client_id: text})],
  ['client_secret', text => token({client_secret: text})],
  ['scope', text => token({scope: text})],
  ['token', text => client.call('POST', '/oauth/revoke', {token: text})],
  ['type', text => sandbox.control('POST', '/_sandbox/trigger', {type: text})],
  [
    'reservation_ref',
    text => sandbox.control('POST', '/_sandbox/trigger', {type: 'voucher.ready', reservation_ref: text}),
  ],
]

test.each(FIELDS)(
  '%s is refused with a control character, half of a pair, or 100,000 letters',
  async (field, ask) => {
    for (const text of ['Ay\0se', 'Ay\u001bse', 'Ay\u009bse', 'Ayse\n', 'Ay\ud800se', 'A'.repeat(100_000)]) {
      const {status, json} = await ask(text)
      expect([status, json.error?.code], JSON.stringify(text.slice(0, 9))).toEqual([400, 'validation_failed'])
      expect(json.error.details).toMatchObject([{field}])
      expect(JSON.stringify(json).length).toBeLessThan(2000)
    }
  },
)

test('a name of 255 letters of any kind is taken', async () => {
  for (const letter of ['A', 'ş', '東', '😀']) {
    const {status, json} = await reserve(guest({name: letter.repeat(255)}))
    expect([status, json.error.code]).toEqual([404, 'offer_not_found'])
    expect((await reserve(guest({name: letter.repeat(256)}))).status).toBe(400)
  }
})
