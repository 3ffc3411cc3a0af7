// The least a check of captured events does: JSON.parse, base64 and HMAC of each line, all lines in memory already.
// `hmac-loop.cjs FILE SECRET COUNT` takes the lines of FILE again and again until it checked COUNT, and prints how long
// that took: reading the file and starting are not in it.
'use strict'
const {createHmac, createSecretKey} = require('node:crypto')
const {readFileSync} = require('node:fs')

const [file, secret, count] = process.argv.slice(2)
const lines = readFileSync(file, 'latin1').trimEnd().split('\n')
const key = createSecretKey(Buffer.from(secret))
let valid = 0
const started = performance.now()
for (let n = 0; n < Number(count); n++) {
  const {body_base64, headers} = JSON.parse(lines[n % lines.length])
  const [, timestamp, expected] = /^t=(\d+),v1=(.*)$/.exec(headers['x-service-signature'])
  const hmac = createHmac('sha256', key).update(`${timestamp}.`).update(Buffer.from(body_base64, 'base64'))
  if (hmac.digest('hex') === expected) valid++
}
const milliseconds = performance.now() - started
process.stdout.write(`${JSON.stringify({valid, milliseconds})}\n`)
