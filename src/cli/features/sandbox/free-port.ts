/** A free port for a program that starts later and needs its port beforehand. */
import {randomInt} from 'node:crypto'
import {createServer} from 'node:net'

/** Below the ephemeral ports (Linux from 32768), so that no connection takes it in between. */
const LOWEST = 20_000
const ABOVE = 32_000
const ATTEMPTS = 100

/** A free port of 127.0.0.1. Throws the system's error when a hundred ports are taken. */
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
