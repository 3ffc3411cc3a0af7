/** Things that end with the test, the last one first: for tests and `beforeEach`. */
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {Home} from './bookctl.js'
import {startListening, startTarget} from './listening.js'
import {startTcp, tunnel} from './tcp.js'
import {SECRET} from './webhook-load.js'
import {startWireServer} from './wire.js'

/** `thing`, closed when the test has ended. */
export function closing<T extends {close(): unknown}>(thing: T): T {
  onTestFinished(async () => void (await thing.close()))
  return thing
}

export function ownDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  onTestFinished(() => rmSync(directory, {recursive: true, force: true}))
  return directory
}

/** Names of the files in `directory` that hold `text` anywhere. */
export const filesWith = (directory: string, text: string) =>
  readdirSync(directory, {withFileTypes: true})
    .filter(entry => entry.isFile() && readFileSync(join(directory, entry.name)).includes(text))
    .map(entry => entry.name)

export function ownHome(env: Record<string, string> = {}): Home {
  const home = new Home(env)
  onTestFinished(() => home.remove())
  return home
}

/** A home for a receiver, with its secret in the environment. */
export const ownReceiverHome = () => ownHome({BOOKCTL_WEBHOOK_SECRET: SECRET})

export async function ownListening(...args: Parameters<typeof startListening>) {
  const started = await startListening(...args)
  onTestFinished(async () => void (await started.stop('SIGKILL')))
  return started
}

export const ownWire = async (...args: Parameters<typeof startWireServer>) =>
  closing(await startWireServer(...args))

/** The port of a server that calls `serve` for each connection. */
export const ownTcpPort = async (...args: Parameters<typeof startTcp>) =>
  closing(await startTcp(...args)).port

/** A proxy that tunnels every CONNECT to `port`, or refuses it with `status`; `heads` are the requests it got. */
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
