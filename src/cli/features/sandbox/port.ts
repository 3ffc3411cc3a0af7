/**
 * Chooses the port to listen on: the typed one, otherwise the usual one, otherwise a free one. Also finds a free port
 * for later use.
 */
import {randomInt} from 'node:crypto'
import {once} from 'node:events'
import {createServer} from 'node:net'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {AdminAddress, Observed} from '../../../webhooks/observe/admin.js'

/** Number of ports, from the usual one on, that are tried before any free port. */
const TRIED_PORTS = 10

interface WantedPort {
  readonly typed: number | undefined
  readonly usual: number
  readonly tell: (text: string) => void
}

/**
 * Calls `listen` with one port after another until it succeeds. Throws a usage error if the typed port cannot be used,
 * and what `listen` throws if no other port would help.
 */
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
      // Undefined if another port would not help.
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

/** Serves health and metrics at the address of `--admin`. Throws a usage error if the address cannot be used. */
export async function serveAdminOn(observed: Observed, address: AdminAddress) {
  const {serveAdmin} = await import('../../../webhooks/observe/admin.js')
  try {
    return await serveAdmin(observed, address)
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    const host = sanitizeLine(address.host, 100)
    const problems: Readonly<Record<string, string>> = {
      EACCES: `port ${address.port} is not allowed`,
      EADDRINUSE: `port ${address.port} is in use`,
    }
    const problem = problems[code] ?? `${host} is not an address of this machine (${code})`
    throw usage('admin_unavailable', `--admin: ${problem}`, 'choose another address; 0 takes any free port')
  }
}

const ATTEMPTS = 100

/** Returns a free port of 127.0.0.1. Throws the system's error if a hundred random ports are in use. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    // Below the ephemeral ports (on Linux from 32768), so that no outgoing connection takes the port meanwhile.
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
