/** Where a webhook command listens: a host and a port of this machine. */
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import {listenOn} from '../sandbox/port.js'

interface WantedAddress {
  readonly host: string
  readonly isTls: boolean
  /** The port of --port, if it was given. */
  readonly port: number | undefined
  readonly usualPort: number
  readonly tell: (text: string) => void
}

/**
 * Calls `listen` until it has a port, and returns its server with the origin of its URLs. Warns of plain http that others on
 * the network can read. Throws a usage error if the port or the host cannot be used.
 */
export async function listenAt<Server extends {readonly port: number}>(
  {host, isTls, port, usualPort, tell}: WantedAddress,
  listen: (port: number) => Promise<Server>,
): Promise<{readonly server: Server; readonly origin: string}> {
  if (!isTls && !isLoopbackHost(host)) {
    const risk = 'others on the network can read it; use --tls, or a proxy with TLS'
    tell(`Warning: plain http on ${sanitizeLine(host, 100)}: ${risk}`)
  }
  let server: Server
  try {
    server = await listenOn({typed: port, usual: usualPort, tell}, listen)
  } catch (error) {
    const {code = ''} = error as NodeJS.ErrnoException
    if (!['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) throw error
    const problem = `--host: ${sanitizeLine(host, 100)} is not an address of this machine (${code})`
    throw usage('host_unavailable', problem, 'omit --host to listen on 127.0.0.1')
  }
  const name = host.includes(':') ? `[${host}]` : host
  return {server, origin: `${isTls ? 'https' : 'http'}://${name}:${server.port}`}
}
