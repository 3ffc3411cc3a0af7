/** `mcp`: gives the tools what they work with, and serves until the client has gone. */
import {systemClock} from '../../../contract/dates.js'
import type {Connection} from '../../session/connect.js'
import type {BaseCommand} from '../../shell/base-command.js'
import type {ListenLog} from '../webhooks/listen-log.js'
import type {Desk} from './desk.js'
import type {Permissions} from './flags.js'
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
  const {version} = command.config
  const opened: {connection?: Connection} = {}
  let opening: Promise<Connection> | undefined
  const open = async () => {
    opened.connection = await command.connect()
    return opened.connection
  }
  const desk: Desk = {
    ...given,
    target: await command.target(),
    state: await command.state(),
    connect: () => {
      // Calls come at the same time, and share one connection.
      opening ??= open().catch(error => {
        opening = undefined
        throw error
      })
      return opening
    },
    offerPages: new OfferPages(systemClock.now),
    warn: text => void command.warn(text),
  }
  const {clientSecret, token} = desk.target
  const secrets = () =>
    [clientSecret, token ?? '', ...(opened.connection?.secretsSent() ?? [])].filter(Boolean)
  const tools = toolsFor(permissions.allowed)
  log.write({
    level: 'info',
    event: 'start',
    message: 'serving one client',
    tools: tools.map(({name}) => name),
  })
  await serve({desk, tools, log, version, secrets}, stdin, stdout)
  log.write({level: 'info', event: 'stopped', message: 'the client has gone'})
}
