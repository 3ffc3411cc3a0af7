/** `--proxy`, which overrides the proxies of the environment; and the route of requests, to compare two processes. */
import {createHash} from 'node:crypto'
import {resolve} from 'node:path'
import {usage} from '../../contract/failure.js'

/** The origin of a proxy. Throws usage for another URL than http(s), and for a password, which the process list shows. */
export function checkProxy(field: string, text: string): string {
  const written = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage('invalid_proxy', `${field}: must be an http:// or https:// URL`)
  if (url.username !== '' || url.password !== '') {
    const problem =
      'contains a user name or password, which would show in the process list and the shell history'
    throw usage('secret_on_command_line', `${field}: ${problem}`, 'set HTTPS_PROXY instead')
  }
  return url.origin
}

/** `env` with `origin` as the proxy of every request. */
export function withProxy(env: NodeJS.ProcessEnv, origin: string): NodeJS.ProcessEnv {
  return {...env, https_proxy: origin, http_proxy: origin, no_proxy: ''}
}

/** Variables that the route depends on, in either case. */
const ROUTE_VARIABLES = /^((https?|all|no)_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i

/** Two processes with the same route meet the same faults. Hashed: a proxy's address may hold a password. */
export function routeOf(options: {
  readonly env: NodeJS.ProcessEnv
  readonly proxy?: string | undefined
  readonly caFile: string | undefined
  readonly insecure?: boolean | undefined
  readonly timeoutSeconds: number | undefined
}): string {
  const {env, proxy, caFile, insecure, timeoutSeconds} = options
  const surroundings = Object.entries(env)
    .filter(([name]) => ROUTE_VARIABLES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const parts = [proxy, caFile && resolve(caFile), insecure, timeoutSeconds, surroundings]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
