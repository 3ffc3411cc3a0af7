// A service with as many reservations as its argument says, in pages as the local sandbox has them: of the client references
// TRIP-0, TRIP-1, …, the newest first. Prints its address.
'use strict'
const {createServer} = require('node:http')

const count = Number(process.argv[2] ?? 1000)

const TOKEN = {access_token: 'at_bench', token_type: 'Bearer', expires_in: 7200, scope: 'reservations:read'}

function reservation(n) {
  const guest = (name, is_lead) => ({
    type: 'ADULT',
    name,
    surname: `Öğüt ${n}`,
    birth_date: '1990-02-03',
    gender: 'FEMALE',
    nationality: 'TR',
    identity: {type: 'PASSPORT', number: `U${n}`},
    is_lead,
  })
  const amount = `${100 + (n % 900)}.50`
  return {
    reservation_ref: `RSV-${String(n).padStart(10, '0')}`,
    status: 'CONFIRMED',
    client_reference_id: `TRIP-${n}`,
    offer_id: `off_${n}`,
    hotel: {hotel_id: `h${n % 500}`, name: `Hotel ${n % 500}`, stars: 4, city: {id: 101, name: 'Istanbul'}},
    rooms: [{room_name: 'Double', adults: 2, children_ages: [], board: {code: 'BB', name: 'Breakfast'}}],
    check_in: '2030-06-01',
    check_out: '2030-06-04',
    nights: 3,
    client_nationality: 'TR',
    contact: {
      name: 'Ayşe',
      surname: 'Öğüt',
      email: 'ayse@example.com',
      phone_country_code: '+90',
      phone_number: '5321234567',
    },
    guests: [guest('Ayşe', true), guest('Can', false)],
    price: {total: amount, currency: 'EUR', base: amount, taxes: '0.00', due_at_property: []},
    cancellation_policies: [{from: '2030-05-30T00:00:00+03:00', amount, currency: 'EUR'}],
    remarks: [],
    payment: {mode: 'account', status: 'PAID', amount, currency: 'EUR', expires_at: null, paid_at: null},
    hotel_confirmation_number: null,
    voucher: {status: 'READY'},
    cancellation: null,
    created_at: new Date(Date.UTC(2030, 0, 1) + n * 60_000).toISOString(),
    updated_at: '2030-06-01T00:00:00Z',
    live_mode: false,
  }
}

function page(query) {
  const limit = Math.min(200, Number(query.get('limit') ?? 50))
  const newest = Number(query.get('after') ?? count)
  const data = []
  for (let n = newest - 1; n >= Math.max(0, newest - limit); n--) data.push(reservation(n))
  const after = newest - limit > 0 ? String(newest - limit) : null
  return {data, meta: {limit, after, before: null}}
}

const server = createServer((request, response) => {
  const {pathname, searchParams} = new URL(request.url, 'http://localhost')
  let answer = {error: {code: 'not_found', message: 'not found'}}
  if (pathname === '/_sandbox/clock') answer = {now: '2031-01-01T00:00:00Z'}
  else if (pathname.endsWith('/oauth/token')) answer = {data: TOKEN}
  else if (pathname.endsWith('/reservations')) answer = page(searchParams)
  const body = Buffer.from(JSON.stringify(answer))
  response
    .writeHead('error' in answer ? 404 : 200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'X-Local-Sandbox': 'bookctl',
    })
    .end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${server.address().port}/`})}\n`)
})
