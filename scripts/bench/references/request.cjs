// The least a client does: one request with a token it was given, by undici, and its answer printed.
'use strict'
const {request} = require('undici')

const headers = {authorization: 'Bearer at_bench', accept: 'application/json'}
request(process.argv[2], {headers})
  .then(({body}) => body.json())
  .then(json => process.stdout.write(`${JSON.stringify(json, null, 2)}\n`))
