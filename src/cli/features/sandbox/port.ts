/** The port of what listens on this machine: the typed one, else the usual one or another. And a free one for later. */
import {randomInt} from 'node:crypto'
import {once} from 'node:events'
import {createServer} from 'node:net'
import {usage} from '../../../contract/failure.js'

/** How many ports from the usual one are tried before any free one. */
const TRIED_PORTS = 10

interface WantedPort {
  readonly typed: number | undefined
  readonly usual: number
  readonly tell: (text: string) => void
}

/** Calls `listen` with ports until it resolves. Throws a usage error if the typed one cannot be used. */
export async function listenOn<T extends {readonly port: number}>(
  {typed, usual, tell}: WantedPort,
  listen: (port: number) => Promise<T>,
): Promise<T> {
  let port = typed ?? usual
  let taken: string | undefined
  for (;;) {
    try {
      const listening = await listen(port)
      if (taken !== undefined) tell(`Port ${usual} ${taken}; using ${listening.port}`)
      return listening
    } catch (error) {
      const {code} = error as NodeJS.ErrnoException
      const problems: Readonly<Record<string, string>> = {EACCES: 'is not allowed', EADDRINUSE: 'is in use'}
      // Undefined where another port would not help.
      const problem = problems[code ?? '']
      if (problem === undefined || (port === 0 && typed === undefined)) throw error
      if (typed !== undefined) {
        const hint = 'choose another port, or leave out --port: then the next free one is used'
        throw usage('port_unavailable', `--port: port ${port} ${problem}`, hint)
      }
      taken ??= problem
      port = port + 1 < Math.min(usual + TRIED_PORTS, 65_536) ? port + 1 : 0
    }
  }
}

const ATTEMPTS = 100

/** A free port of 127.0.0.1. Throws the system's error when a hundred ports are taken. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    // Below the ephemeral ports (Linux from 32768), so that no connection takes it in between.
    const port = randomInt(20_000, 32_000)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
      await once(server.close(), 'close')
      return port
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}
