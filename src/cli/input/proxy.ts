/** `--proxy`, which stands in for the proxies of the environment. */
import {usage} from '../../contract/failure.js'

/**
 * `env` with `text` as the proxy of every request. Throws usage when it is no http(s) URL, and when it holds a
 * password, which the process list would show.
 */
export function withProxy(env: NodeJS.ProcessEnv, text: string): NodeJS.ProcessEnv {
  const written = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage('invalid_proxy', '--proxy: must be an http:// or https:// URL')
  if (url.username !== '' || url.password !== '') {
    throw usage(
      'secret_on_command_line',
      '--proxy: holds a user name or password, which the process list and the shell history show',
      'set HTTPS_PROXY instead',
    )
  }
  return {...env, https_proxy: url.origin, http_proxy: url.origin, no_proxy: ''}
}
