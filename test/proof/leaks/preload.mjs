// Crashes the process once it has sent a request: an error that nothing expects, with all the bytes in its message and properties.
import {writeFileSync} from 'node:fs'
import net from 'node:net'

const {write} = net.Socket.prototype
net.Socket.prototype.write = function (chunk, ...rest) {
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk ?? '').toString('latin1')
  // Requests alone, so that the streams of the command stay as they are.
  if (/^(GET|POST|PATCH|DELETE) |^\{/.test(text) && this.remotePort !== undefined) {
    setImmediate(() => {
      writeFileSync('crashed.txt', '')
      throw Object.assign(new Error(`broken by ${text}`, {cause: new Error(text)}), {text})
    })
  }
  return write.call(this, chunk, ...rest)
}
