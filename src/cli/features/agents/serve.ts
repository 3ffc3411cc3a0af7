/** `mcp`: gives the tools what they work with, and serves until the client has gone. */
import {setFlagsFromString} from 'node:v8'
import {createRedactor} from '../../../api/redact/redact.js'
import {systemClock} from '../../../contract/dates.js'
import type {Connection} from '../../session/connect.js'
import type {BaseCommand} from '../../shell/base-command.js'
import type {ListenLog} from '../webhooks/listen-log.js'
import type {Bookings} from './bookings.js'
import type {Desk} from './desk.js'
import type {Permissions} from './flags.js'
import {instructionsFor} from './instructions.js'
import {OfferPages} from './offer-pages.js'
import {serve} from './server.js'
import {toolsFor} from './tools.js'

interface Options extends Pick<Desk, 'preferences' | 'connectOptions' | 'voucherDirectory'> {
  readonly permissions: Permissions
}

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout'>

/** Serves one client on the streams. Throws Failure if there are no credentials. */
export async function serveAgents(
  command: BaseCommand,
  log: ListenLog,
  {permissions, ...given}: Options,
  {stdin, stdout}: Streams,
): Promise<void> {
  // A server runs for days beside its client, which counts its memory: 110 MB after 1,000 calls, and 160 to 200 MB without these.
  setFlagsFromString('--optimize-for-size')
  setFlagsFromString('--semi-space-growth-factor=1')
  const target = await command.target()
  const {clientSecret, token = ''} = target
  const opened: {connection?: Connection; bookings?: Bookings} = {}
  const connect = sharing(async () => {
    opened.connection = await command.connect()
    return opened.connection
  })
  const bookings = sharing(async () => {
    const {openBookings} = await import('./bookings.js')
    opened.bookings = await openBookings({
      connection: await connect(),
      limits: permissions.limits,
      consent: permissions.consent,
      preferred: given.preferences,
      serviceFlags: command.serviceFlags(),
      timeoutSeconds: command.timeoutSeconds,
    })
    // After a signal, this runs before the connection is closed.
    command.whenStopped(() => opened.bookings?.close())
    return opened.bookings
  })
  const desk: Desk = {
    ...given,
    target,
    state: await command.state(),
    connect,
    bookings,
    consent: permissions.consent,
    offerPages: new OfferPages(systemClock.now),
    warn: text => void command.warn(text),
  }
  const known = createRedactor([clientSecret, token].filter(Boolean))
  let count = 0
  const redactor = () => {
    const sent = opened.connection?.secretsSent() ?? []
    for (const secret of sent.slice(count)) known.add(secret)
    count = sent.length
    return known
  }
  const tools = toolsFor(permissions.allowed)
  const names = tools.map(({name}) => name)
  log.write({level: 'info', event: 'start', message: 'serving one client', tools: names})
  const {version} = command.config
  const instructions = instructionsFor(permissions, target)
  await serve({desk, tools, log, version, instructions, redactor}, stdin, stdout)
  await opened.bookings?.close()
  log.write({level: 'info', event: 'stopped', message: 'the client has gone'})
}

/** Returns a function that opens something once for all callers. After a failure the next call tries again. */
function sharing<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined
  return () => {
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }
}
