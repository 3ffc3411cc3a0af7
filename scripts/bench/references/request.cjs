// The minimum of a client: one undici request with a given token, whose answer is printed.
'use strict'
const {request} = require('undici')

const headers = {authorization: 'Bearer at_bench', accept: 'application/json'}
request(process.argv[2], {headers})
  .then(({body}) => body.json())
  .then(json => process.stdout.write(`${JSON.stringify(json, null, 2)}\n`))
