/** A receiver that does what §6 asks of it, sharing no line with src/: what stands behind the proxy where events are sent. */
import {createHmac} from 'node:crypto'
import {createServer, type IncomingMessage} from 'node:http'
import type {AddressInfo} from 'node:net'
import {SECRET} from '../support/webhook-load.js'

export interface ReceiverSide {
  readonly origin: string
  close(): void
}

/** Answers 200, or 401 to whatever is not signed as it should be. */
export async function startReceiverSide(): Promise<ReceiverSide> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', piece => pieces.push(piece))
    request.on('end', () => {
      const isTrue = isRight(request, Buffer.concat(pieces))
      response.writeHead(isTrue ? 200 : 401, {'content-type': 'application/json'})
      response.end(JSON.stringify({received: isTrue}))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function isRight({rawHeaders}: IncomingMessage, body: Buffer): boolean {
  const valuesOf = (name: string) =>
    rawHeaders.filter((_, n) => n % 2 === 1 && rawHeaders[n - 1]?.toLowerCase() === name)
  const [signature = '', ...more] = valuesOf('x-service-signature')
  const parts = signature.split(',').map(part => part.split('=', 2))
  const valuesUnder = (key: string) => parts.flatMap(([name, value = '']) => (name === key ? [value] : []))
  const [timestamp = '', ...others] = valuesUnder('t')
  const isTimely =
    /^\d{1,12}$/.test(timestamp) && Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) <= 300
  if (more.length > 0 || others.length > 0 || !isTimely) return false
  const right = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex')
  // Several are shown while secrets are rotated.
  if (!valuesUnder('v1').includes(right)) return false
  return valuesOf('x-service-event-id')[0] === idIn(body)
}

function idIn(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString()) as {id?: unknown}).id
  } catch {
    return undefined
  }
}
