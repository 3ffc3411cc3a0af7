// Shows the limit of the load generator: answers 200 to each piece that arrives, without reading it.
'use strict'
const {createServer} = require('node:net')

const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
const server = createServer({noDelay: true}, socket => {
  socket.on('data', () => socket.write(answer)).on('error', () => {})
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${server.address().port}/`})}\n`)
})
