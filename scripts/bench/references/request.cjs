// The least a client does: one request with a token it was given, by undici, and its answer printed.
'use strict'
const {request} = require('undici')

const [url, method = 'GET', data] = process.argv.slice(2)
request(url, {
  method,
  headers: {authorization: 'Bearer at_bench', accept: 'application/json', 'content-type': 'application/json'},
  body: data,
})
  .then(({body}) => body.json())
  .then(json => process.stdout.write(`${JSON.stringify(json, null, 2)}\n`))
