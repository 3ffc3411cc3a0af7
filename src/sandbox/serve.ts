/** Serves a sandbox on loopback. The one file of the sandbox that knows node:http. */
import type {AddressInfo} from 'node:net'
import {type HttpBindings, serve} from '@hono/node-server'
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response'
import {ConnectionDrop} from './base/answers.js'
import {CUT_HEADER} from './http/faults.js'
import {API_PATH} from './http/requests.js'
import type {Sandbox} from './sandbox.js'

interface ServedSandbox {
  /** For example `http://127.0.0.1:4010`. */
  readonly origin: string
  readonly baseUrl: string
  /** Stops listening and cuts what is still open. The sandbox itself stays open. */
  close(): Promise<void>
}

/** Listens on `host` and `port` (0: any free one). Rejects with the system's error when it cannot. */
export function serveSandbox(
  sandbox: Sandbox,
  {host, port}: {host: '127.0.0.1'; port: number},
): Promise<ServedSandbox> {
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: (request, env) => answerOrCut(sandbox, request, env as HttpBindings),
        hostname: host,
        port,
        overrideGlobalObjects: false,
      },
      (info: AddressInfo) => {
        const origin = `http://${host}:${info.port}`
        sandbox.listenAt(origin)
        resolve({origin, baseUrl: origin + API_PATH, close: () => closeServer(server)})
      },
    )
    server.once('error', reject)
  })
}

async function answerOrCut(sandbox: Sandbox, request: Request, {outgoing}: HttpBindings): Promise<Response> {
  try {
    const response = await sandbox.handle(request)
    if (!response.headers.has(CUT_HEADER)) return response
    await sendFirstPiece(response, outgoing)
  } catch (error) {
    if (!(error instanceof ConnectionDrop)) throw error
  }
  outgoing.socket?.destroy()
  return RESPONSE_ALREADY_SENT
}

/** Resolves when head and first piece of the body have left. */
async function sendFirstPiece(response: Response, outgoing: HttpBindings['outgoing']): Promise<void> {
  response.headers.delete(CUT_HEADER)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  const piece = await response.body?.getReader().read()
  await new Promise(resolve => outgoing.write(piece?.value ?? '', resolve))
}

function closeServer(server: ReturnType<typeof serve>): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
}
