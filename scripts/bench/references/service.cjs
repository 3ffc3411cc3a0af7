// A service that does almost no work: it answers token and account requests, so that a measurement shows the time of the command
// itself. Prints its address.
'use strict'
const {createServer} = require('node:http')

const TOKEN = {
  access_token: 'at_bench',
  token_type: 'Bearer',
  expires_in: 7200,
  scope: 'hotels:read account:read',
}
const ACCOUNT = {account_id: 'acc_bench', name: 'Bench Travel', currency: 'EUR', balance: '100000.00'}

const server = createServer((request, response) => {
  const data = request.url.endsWith('/oauth/token') ? TOKEN : ACCOUNT
  const body = Buffer.from(JSON.stringify({data}))
  request.resume().on('end', () => {
    response.writeHead(200, {'Content-Type': 'application/json', 'Content-Length': body.length}).end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${server.address().port}/`})}\n`)
})
