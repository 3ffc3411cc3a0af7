/** Resources that are closed when the test ends, the last one first. They can be opened in tests and in `beforeEach`. */
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {Home} from './bookctl.js'
import {startListening, startTarget} from './listening.js'
import {startTcp, tunnel} from './tcp.js'
import {SECRET} from './webhook-load.js'
import {startWireServer} from './wire.js'

/** Returns `thing`, and closes it when the test has ended. */
export function closing<T extends {close(): unknown}>(thing: T): T {
  onTestFinished(async () => void (await thing.close()))
  return thing
}

export function ownDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  // A process that a test started may still write its last file while the directory is removed.
  const removal = {recursive: true, force: true, maxRetries: 20, retryDelay: 100}
  onTestFinished(() => rmSync(directory, removal))
  return directory
}

/** Lists the files in `directory` that contain `text`. */
export const filesWith = (directory: string, text: string) =>
  readdirSync(directory, {withFileTypes: true})
    .filter(entry => entry.isFile() && readFileSync(join(directory, entry.name)).includes(text))
    .map(entry => entry.name)

export function ownHome(env: Record<string, string> = {}): Home {
  const home = new Home(env)
  onTestFinished(() => home.remove())
  return home
}

/** Returns a home for a receiver, with the signing secret in its environment. */
export const ownReceiverHome = () => ownHome({BOOKCTL_WEBHOOK_SECRET: SECRET})

export async function ownListening(...args: Parameters<typeof startListening>) {
  const started = await startListening(...args)
  onTestFinished(async () => void (await started.stop('SIGKILL')))
  return started
}

export const ownWire = async (...args: Parameters<typeof startWireServer>) =>
  closing(await startWireServer(...args))

/** Starts a server that calls `serve` for each connection, and returns its port. */
export const ownTcpPort = async (...args: Parameters<typeof startTcp>) =>
  closing(await startTcp(...args)).port

/** Starts a proxy that tunnels every CONNECT to `port`, or refuses it with `status`. `heads` records the requests. */
export async function ownProxy(port: number, status = 200): Promise<{port: number; heads: string[]}> {
  const heads: string[] = []
  const serve: Parameters<typeof startTcp>[0] = client =>
    client.once('data', head => {
      heads.push(head.toString())
      if (status === 200) tunnel(client, port, 'HTTP/1.1 200 OK\r\n\r\n')
      else client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    })
  return {port: await ownTcpPort(serve), heads}
}

export const ownTarget = async (...args: Parameters<typeof startTarget>) =>
  closing(await startTarget(...args))
