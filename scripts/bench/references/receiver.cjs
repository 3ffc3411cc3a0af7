// The minimum of a receiver: a node:http server that reads the body and answers 200.
'use strict'
const {createServer} = require('node:http')

const server = createServer((request, response) => {
  const pieces = []
  request
    .on('data', piece => pieces.push(piece))
    .on('end', () => {
      Buffer.concat(pieces)
      response.writeHead(200, {'Content-Length': '0'}).end()
    })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${server.address().port}/`})}\n`)
})
