/** Finds out where a webhook command listens: host, port, and the certificate for https. */
import process from 'node:process'
import {systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import type {Place} from '../../../webhooks/receive/server.js'
import {listenOn} from '../sandbox/port.js'
import type {ListenFlags} from './listen-flags.js'
import type {Identity} from './listen-tls.js'
import {inheritedSocket} from './systemd.js'

interface WantedAddress {
  readonly host: string
  readonly isTls: boolean
  /** Port of --port, if it was typed. */
  readonly port: number | undefined
  readonly usualPort: number
  readonly tell: (text: string) => void
}

interface Bound {
  readonly host: string
  readonly port: number
}

/**
 * Listens on the socket that systemd opened for this process; without one, does the same as `listenAt`. With such a
 * socket, --host and --port have no effect. Throws a usage error if the socket is not a listening TCP socket.
 */
export async function listenAtOrInherit<Server extends Bound>(
  wanted: WantedAddress,
  listen: (place: Place) => Promise<Server>,
): Promise<{readonly server: Server; readonly origin: string}> {
  const {host, isTls, tell} = wanted
  const socket = inheritedSocket(process.env, process.pid)
  if (socket === undefined) return listenAt(wanted, port => listen({host, port}))
  // Programs started by this process must not take the socket for theirs.
  for (const name of ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES']) delete process.env[name]
  if (socket.count > 1) tell(`Warning: of the ${socket.count} sockets of LISTEN_FDS the first is used`)
  try {
    const server = await listen({fd: socket.fd})
    warnOfPlainHttp(server.host, isTls, tell)
    return {server, origin: originOf(server, isTls)}
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException
    const problem = `LISTEN_FDS: descriptor ${socket.fd} is not a listening TCP socket (${code})`
    throw usage(
      'socket_unavailable',
      problem,
      'check ListenStream= of the socket unit: a port, or ADDRESS:PORT',
    )
  }
}

function warnOfPlainHttp(host: string, isTls: boolean, tell: (text: string) => void): void {
  if (isTls || isLoopbackHost(host)) return
  const risk = 'others on the network can read it; use --tls, or a proxy with TLS'
  tell(`Warning: plain http on ${sanitizeLine(host, 100)}: ${risk}`)
}

function originOf({host, port}: Bound, isTls: boolean): string {
  const name = host.includes(':') ? `[${host}]` : host
  return `${isTls ? 'https' : 'http'}://${name}:${port}`
}

/** Returns the certificate to listen with; undefined for plain http. Throws what `listenIdentity` throws. */
export async function identityFor(
  flags: Pick<ListenFlags, 'tls' | 'cert' | 'key' | 'host'>,
  directory: string,
  warn: (text: string) => void,
): Promise<Identity | undefined> {
  if (!flags.tls && flags.cert === undefined) return undefined
  // Loads the module only for https.
  const {listenIdentity} = await import('./listen-tls.js')
  return listenIdentity(flags, directory, systemClock.now(), warn)
}

/**
 * Calls `listen` with one port after another until it succeeds. Returns the server and the origin of its URLs. Warns if
 * others on the network could read plain http. Throws a usage error if the port or the host cannot be used.
 */
export async function listenAt<Server extends {readonly port: number}>(
  {host, isTls, port, usualPort, tell}: WantedAddress,
  listen: (port: number) => Promise<Server>,
): Promise<{readonly server: Server; readonly origin: string}> {
  warnOfPlainHttp(host, isTls, tell)
  let server: Server
  try {
    server = await listenOn({typed: port, usual: usualPort, tell}, listen)
  } catch (error) {
    const {code = ''} = error as NodeJS.ErrnoException
    if (!['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) throw error
    const problem = `--host: ${sanitizeLine(host, 100)} is not an address of this machine (${code})`
    throw usage('host_unavailable', problem, 'omit --host to listen on 127.0.0.1')
  }
  return {server, origin: originOf({host, port: server.port}, isTls)}
}
