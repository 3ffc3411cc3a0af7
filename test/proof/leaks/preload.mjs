// Crashes the process once it has sent a request, with an unexpected error that has all the bytes in its message and properties.
import {writeFileSync} from 'node:fs'
import net from 'node:net'

const {write} = net.Socket.prototype
net.Socket.prototype.write = function (chunk, ...rest) {
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk ?? '').toString('latin1')
  // Only requests, so that the streams of the command are not affected.
  if (/^(GET|POST|PATCH|DELETE) |^\{/.test(text) && this.remotePort !== undefined) {
    setImmediate(() => {
      writeFileSync('crashed.txt', '')
      throw Object.assign(new Error(`broken by ${text}`, {cause: new Error(text)}), {text})
    })
  }
  return write.call(this, chunk, ...rest)
}
