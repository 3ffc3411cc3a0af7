/** A fresh undici connection for one exchange, direct or through a proxy. The only importer of undici. */
import type {Client, Dispatcher} from 'undici'
// Loading all of undici takes 52 ms more (Node 20: 105 ms, this file alone 53, `node -e 0` 27), for fetch, WebSockets and
// caches. The package has no `exports`, so the path resolves; a test holds that it is the `Client` of the package's entry.
// @ts-expect-error: the file has no types of its own.
import UntypedClient from 'undici/lib/dispatcher/client.js'
import type {ProxyServer} from './proxy.js'

export type {Dispatcher} from 'undici'

const OneClient = UntypedClient as typeof Client

const MOST_HEADER_BYTES = 64 * 1024

interface Trust {
  /** PEM certificates to trust, all of them (default: those of the runtime). */
  readonly ca: string[] | undefined
  /** Accepts any certificate of the server; a proxy's is still checked, because it is sent credentials. */
  readonly insecure: boolean
}

/** For one exchange with `url`, over TCP and TLS ≥ 1.2: no retry, no redirect, no time limits. Connects when asked to. */
export async function createDispatcher(
  url: URL,
  proxy: ProxyServer | undefined,
  {ca, insecure}: Trust,
): Promise<Dispatcher> {
  // Phases are timed by the exchange itself: undici's timers are coarse and know no total.
  const timers = {headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0}
  const common = {...timers, maxHeaderSize: MOST_HEADER_BYTES, pipelining: 1}
  const checked = {
    timeout: 0,
    minVersion: 'TLSv1.2' as const,
    // Set outright, so that NODE_TLS_REJECT_UNAUTHORIZED changes nothing.
    rejectUnauthorized: true,
    ...(ca && {ca}),
  }
  const tls = {...checked, rejectUnauthorized: !insecure}
  if (proxy === undefined) return new OneClient(url.origin, {...common, connect: tls})
  const {ProxyAgent} = await import('undici')
  return new ProxyAgent({
    ...common,
    // One connection, so that undici has no other to put the request on.
    connections: 1,
    uri: proxy.origin,
    ...(proxy.authorization !== undefined && {token: proxy.authorization}),
    requestTls: tls,
    proxyTls: checked,
  })
}
