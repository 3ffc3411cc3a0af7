/** `--proxy`, which overrides the proxies of the environment. */
import {usage} from '../../contract/failure.js'

/** The origin of a proxy. Throws usage for another URL than http(s), and for a password, which the process list shows. */
export function checkProxy(field: string, text: string): string {
  const written = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage('invalid_proxy', `${field}: must be an http:// or https:// URL`)
  if (url.username === '' && url.password === '') return url.origin
  const problem =
    'contains a user name or password, which would show in the process list and the shell history'
  throw usage('secret_on_command_line', `${field}: ${problem}`, 'set HTTPS_PROXY instead')
}

/** `env` with `origin` as the proxy of every request. */
export function withProxy(env: NodeJS.ProcessEnv, origin: string): NodeJS.ProcessEnv {
  return {...env, https_proxy: origin, http_proxy: origin, no_proxy: ''}
}
