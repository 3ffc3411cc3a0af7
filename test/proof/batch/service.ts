/**
 * A local sandbox that makes a second reservation for a client reference, if a client asks for it under a second key. The
 * sandbox itself would refuse it, and so would hide that a client has tried to book twice.
 */
import {createHash} from 'node:crypto'
import {createSandbox} from '../../../src/sandbox/sandbox.js'
import {serveSandbox} from '../../../src/sandbox/serve.js'
import {RESERVE} from '../shared/scene.js'

const MARK = /\.key-[0-9a-f]{8}/g

/** `latencyMilliseconds`: how long the service takes for each answer (default 0). */
export async function openService({latencyMilliseconds = 0} = {}) {
  const clock = () => Date.now() / 1000
  const sandbox = createSandbox({database: ':memory:', clock, latencyMilliseconds, allowHttpLoopback: true})
  const handle = async (request: Request) => unmarked(await sandbox.handle(await marked(request)))
  const served = await serveSandbox({...sandbox, handle}, 0)
  return {
    origin: served.origin,
    async close() {
      await served.close()
      sandbox.close()
    },
  }
}

/** Inside the sandbox a client reference contains its key, so that each key has a client reference of its own. */
async function marked(request: Request): Promise<Request> {
  const {method, url} = request
  if (method !== RESERVE.method || !RESERVE.path.test(url)) return request
  const headers = new Headers(request.headers)
  headers.delete('content-length')
  const key = headers.get('idempotency-key') ?? ''
  const mark = `.key-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`
  const body = JSON.parse(await request.text())
  body.client_reference_id += mark
  return new Request(url, {method, headers, body: JSON.stringify(body)})
}

async function unmarked(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.includes('json')) return response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  const text = await response.text()
  return new Response(text.replaceAll(MARK, ''), {status: response.status, headers})
}
