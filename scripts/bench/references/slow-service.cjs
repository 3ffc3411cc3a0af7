// A service that sells offers and takes the given milliseconds for every answer, so that a measurement shows how many requests
// a batch has under way at a time. Prints its address.
'use strict'
const {createServer} = require('node:http')

const delayMilliseconds = Number(process.argv[2] ?? 200)
let count = 0

const TOKEN = {
  access_token: 'at_bench',
  token_type: 'Bearer',
  expires_in: 7200,
  scope: 'hotels:read account:read reservations:write',
}
const ACCOUNT = {account_id: 'acc_bench', name: 'Bench Travel', currency: 'EUR', balance: '90000000.00'}

function search() {
  const offers = Array.from({length: 20}, (_, n) => ({
    offer_id: `off_${++count}`,
    hotel: {hotel_id: `h${n}`, name: `Hotel ${n}`, stars: 4, city: {id: 101, name: 'Istanbul'}},
    rooms: [{room_name: 'Double', adults: 2, children_ages: [], board: {code: 'BB', name: 'Breakfast'}}],
    price: {total: `${100 + n}.00`, currency: 'EUR'},
    refundable: true,
    free_cancellation_until: '2035-01-01T18:00:00+03:00',
  }))
  return {offers}
}

function reserve(text) {
  const {offer_id, client_reference_id} = JSON.parse(text)
  const reservation_ref = `RSV-${++count}`
  return {
    reservation_ref,
    status: 'CONFIRMED',
    offer_id,
    client_reference_id,
    price: {total: '100.00', currency: 'EUR'},
  }
}

const server = createServer((request, response) => {
  const pieces = []
  request.on('data', piece => pieces.push(piece))
  request.on('end', () => {
    let data = ACCOUNT
    if (request.url.endsWith('/oauth/token')) data = TOKEN
    else if (request.url.endsWith('/hotels/search')) data = search()
    else if (request.url.endsWith('/reservations/hotel')) data = reserve(Buffer.concat(pieces).toString())
    const body = Buffer.from(JSON.stringify({data}))
    setTimeout(() => {
      response.writeHead(200, {'Content-Type': 'application/json', 'Content-Length': body.length}).end(body)
    }, delayMilliseconds)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${server.address().port}/`})}\n`)
})
