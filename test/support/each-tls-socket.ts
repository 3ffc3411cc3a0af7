/**
 * Sends `BODY` over each kind of TLS connection that the program makes, to the port given for that kind in the first argument,
 * and prints the results by kind. It is a process of its own, because Node reads its TLS defaults at start.
 */
import {request} from 'node:https'
import {pathToFileURL} from 'node:url'
import {inspectTls} from '../../src/api/http/inspect.js'
import {createTransport} from '../../src/api/http/transport.js'
import {createTrust, post} from '../../src/sandbox/delivery/attempt.js'
import {openStore} from '../../src/state/postgres/connection.js'
import {createHandover} from '../../src/webhooks/forward/request.js'
import {certificateFile} from './tls.js'

const MILLISECONDS = 20_000
export const BODY = 'personal data'

type Send = (port: number) => Promise<unknown>

const limits = {
  connectMilliseconds: MILLISECONDS,
  headersMilliseconds: MILLISECONDS,
  bodyMilliseconds: MILLISECONDS,
  totalMilliseconds: MILLISECONDS,
  maxAnswerBytes: 1000,
}
const call = (url: string, env: NodeJS.ProcessEnv) =>
  createTransport({env})({method: 'POST', url, headers: {authorization: BODY}, body: BODY}, limits)

const deliver = (port: number, caFile?: string) =>
  post(
    {
      resolve: async () => [{address: '127.0.0.1', family: 4}],
      trust: createTrust(caFile),
      allowHttpLoopback: false,
      limitMilliseconds: MILLISECONDS,
      closing: new AbortController().signal,
    },
    {url: `https://localhost:${port}/`, headers: {}, body: Buffer.from(BODY)},
  )

/** Sends as a program does that leaves all settings to Node. */
const careless: Send = port =>
  new Promise((resolve, reject) => {
    const sent = request({port, host: '127.0.0.1', method: 'POST'}, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('error', reject).end(BODY)
  })

const KINDS: Readonly<Record<string, Send>> = {
  careless,
  api: port => call(`https://127.0.0.1:${port}/`, {}),
  proxy: port => call('https://service.test/', {HTTPS_PROXY: `https://127.0.0.1:${port}`}),
  inspection: port =>
    inspectTls({
      url: new URL(`https://127.0.0.1:${port}/`),
      proxy: undefined,
      ca: undefined,
      milliseconds: MILLISECONDS,
    }),
  forward: async port => {
    const handover = createHandover({timeoutMilliseconds: MILLISECONDS})
    const result = await handover.send(`https://127.0.0.1:${port}/`, [], Buffer.from(BODY))
    handover.close()
    return result
  },
  delivery: port => deliver(port),
  deliveryWithAuthority: port => deliver(port, certificateFile('ca')),
  store: async port => {
    const place = {host: '127.0.0.1', port, user: 'ann', database: 'd', password: BODY, isEncrypted: true}
    const store = openStore(async () => ({
      address: place,
      trusted: undefined,
      most: 1,
      timeoutMilliseconds: MILLISECONDS,
    }))
    return store.query('SELECT 1').finally(() => store.close())
  },
}
export const KIND_NAMES = Object.keys(KINDS)

async function sendAll(ports: Readonly<Record<string, number>>): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {}
  for (const [name, send] of Object.entries(KINDS))
    outcomes[name] = await send(ports[name] as number).then(
      result => JSON.stringify(result),
      (error: Error) => error.message,
    )
  return outcomes
}

const [, script = '', ports] = process.argv
if (ports !== undefined && import.meta.url === pathToFileURL(script).href)
  console.log(JSON.stringify(await sendAll(JSON.parse(ports))))
