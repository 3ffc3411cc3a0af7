/** `--proxy`, which stands in for the proxies of the environment; and what tells one way to a service from another. */
import {createHash} from 'node:crypto'
import {resolve} from 'node:path'
import {usage} from '../../contract/failure.js'

/**
 * The origin of a proxy. Throws usage when it is no http(s) URL, and when it holds a password, which the process list
 * would show.
 */
export function checkProxy(field: string, text: string): string {
  const written = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage('invalid_proxy', `${field}: must be an http:// or https:// URL`)
  if (url.username !== '' || url.password !== '') {
    throw usage(
      'secret_on_command_line',
      `${field}: contains a user name or password, which would show in the process list and the shell history`,
      'set HTTPS_PROXY instead',
    )
  }
  return url.origin
}

/** `env` with `origin` as the proxy of every request. */
export function withProxy(env: NodeJS.ProcessEnv, origin: string): NodeJS.ProcessEnv {
  return {...env, https_proxy: origin, http_proxy: origin, no_proxy: ''}
}

/** What of the environment a request's way depends on, in either case. */
const ON_THE_WAY = /^((https?|all|no)_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i

/**
 * By which proxy, with which certificates and how patiently requests go: two processes for which it is the same meet the
 * same faults. Hashed, since a proxy's address may hold a password.
 */
export function routeOf(options: {
  readonly env: NodeJS.ProcessEnv
  readonly proxy?: string | undefined
  readonly caFile: string | undefined
  readonly insecure?: boolean | undefined
  readonly timeoutSeconds: number | undefined
}): string {
  const {env, proxy, caFile, insecure, timeoutSeconds} = options
  const surroundings = Object.entries(env)
    .filter(([name]) => ON_THE_WAY.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const parts = [proxy, caFile && resolve(caFile), insecure, timeoutSeconds, surroundings]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
