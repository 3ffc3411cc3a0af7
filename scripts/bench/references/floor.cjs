// The floor of a durable receiver: `floor.cjs FILE SECRET` checks the signature of each request, parses its body, drops
// duplicates by an id in memory, appends the others to FILE, and answers 200 after one fdatasync for all that came meanwhile.
'use strict'
const {createHmac, createSecretKey, timingSafeEqual} = require('node:crypto')
const {fdatasync, openSync, write} = require('node:fs')
const {createServer} = require('node:http')

const [path, secret] = process.argv.slice(2)
const file = openSync(path, 'a', 0o600)
const key = createSecretKey(Buffer.from(secret))
const seen = new Set()
let waiting = []
let isWriting = false

const answer = (response, status) => response.writeHead(status, {'Content-Length': '0'}).end()

function flush() {
  if (isWriting || waiting.length === 0) return
  isWriting = true
  const batch = waiting
  waiting = []
  const finish = error => {
    isWriting = false
    flush()
    for (const {response} of batch) answer(response, error ? 503 : 200)
  }
  const bytes = Buffer.concat(batch.flatMap(({body}) => [body, Buffer.from('\n')]))
  write(file, bytes, (error, written) => {
    if (error || written < bytes.length) finish(error ?? new Error('the file is cut off'))
    else fdatasync(file, finish)
  })
}

function take(request, response, body) {
  const [, timestamp, digest] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers['x-service-signature']) ?? []
  const hmac = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest()
  if (digest === undefined || !timingSafeEqual(hmac, Buffer.from(digest, 'hex'))) return answer(response, 401)
  const {id} = JSON.parse(body)
  if (seen.has(id)) return answer(response, 200)
  seen.add(id)
  waiting.push({response, body})
  setImmediate(flush)
}

const server = createServer((request, response) => {
  const pieces = []
  request
    .on('data', piece => pieces.push(piece))
    .on('end', () => take(request, response, Buffer.concat(pieces)))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${server.address().port}/`})}\n`)
})
