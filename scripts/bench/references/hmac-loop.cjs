// Does the minimum of a check of captured events: JSON.parse, base64 and HMAC of each line, with all lines in memory.
// `hmac-loop.cjs FILE SECRET COUNT` repeats the lines of FILE until COUNT lines are checked. It prints how long that took,
// without reading the file and starting.
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
