// A service that costs nothing: it answers a token, an account, and a search with as many offers as the city's number
// says, each prepared once. Against it, what a command costs is the command's own. Prints its address.
'use strict'
const {createServer} = require('node:http')

const TOKEN = {
  access_token: 'at_bench',
  token_type: 'Bearer',
  expires_in: 7200,
  scope: 'hotels:read account:read',
}
const ACCOUNT = {account_id: 'acc_bench', name: 'Bench Travel', currency: 'EUR', balance: '100000.00'}
const prepared = new Map()

const server = createServer((request, response) => {
  const pieces = []
  request
    .on('data', piece => pieces.push(piece))
    .on('end', () => {
      const body = Buffer.from(answerTo(request.url, pieces))
      response.writeHead(200, {'Content-Type': 'application/json', 'Content-Length': body.length}).end(body)
    })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${server.address().port}/`})}\n`)
})

function answerTo(path, pieces) {
  if (path.endsWith('/oauth/token')) return JSON.stringify({data: TOKEN})
  if (path.endsWith('/account')) return JSON.stringify({data: ACCOUNT})
  const count = JSON.parse(Buffer.concat(pieces)).destination.id
  if (!prepared.has(count))
    prepared.set(count, JSON.stringify({data: {offers: Array.from({length: count}, offer)}}))
  return prepared.get(count)
}

/** An offer as the local sandbox has them, shorter: an answer may have 64 MiB, and 100,000 of them must fit. */
function offer(_, n) {
  const price = (100 + ((n * 7919) % 90000) / 100).toFixed(2)
  return {
    offer_id: `off_${String(n).padStart(24, '0')}`,
    hotel: {
      hotel_id: 1_000_000 + n,
      name: `Kaftan Park Otel ${n}`,
      stars: 1 + (n % 5),
      city: {id: 101, name: 'Istanbul'},
      country_code: 'TR',
    },
    rooms: [
      {room_name: 'Standard Room', adults: 2, children_ages: [], board: {code: 'RO', name: 'Room only'}},
    ],
    price: {total: price, currency: 'EUR', base: price, taxes: '0.00'},
    refundable: n % 2 === 0,
    free_cancellation_until: '2030-05-29T18:00:00+03:00',
    rooms_left: 5,
    payment_modes: ['account', 'instant'],
  }
}
