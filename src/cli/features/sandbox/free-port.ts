/** A port for a program that is started later and must be told its port before. */
import {randomInt} from 'node:crypto'
import {createServer} from 'node:net'

/**
 * Ours: below what systems hand out by themselves (Linux from 32768, others from 49152), so that no connection that is
 * made in between gets it.
 */
const LOWEST = 20_000
const ABOVE = 32_000
const ATTEMPTS = 100

/** A port of 127.0.0.1 that nobody listens at. Throws the error of the system when a hundred of them are taken. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(LOWEST, ABOVE)
    const error = await tryPort(port)
    if (error === undefined) return port
    if (attempt === ATTEMPTS) throw error
  }
}

function tryPort(port: number): Promise<Error | undefined> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', resolve).listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)))
  })
}
