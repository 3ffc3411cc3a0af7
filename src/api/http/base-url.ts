/** The service's base address, up to and including the version segment (§9). */
import {usage} from '../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../contract/foreign-text.js'
import {holdsSecret, type Mode} from '../../contract/identifiers.js'
import {API_VERSION} from '../../contract/limits.js'
import {isLoopbackHost, mayBeThisMachine} from '../../contract/loopback.js'

export type BaseUrl = ReturnType<typeof parseBaseUrl>

/**
 * Checks a base URL and takes off its trailing slash: https (plain http for loopback alone), last path segment `v1` (§9), and no user
 * name, query or fragment. Throws a usage Failure that names `from`, where the text is from, and never quotes a password.
 */
export function parseBaseUrl(
  text: string,
  from = '',
  hint: string = 'set it with --base-url, BOOKCTL_BASE_URL or bookctl login',
) {
  // What may be a secret is not quoted: a password, a query, a secret in the wrong place.
  const quoted = /[@?#]/.test(text) || holdsSecret(text) ? '' : ` ${JSON.stringify(sanitizeLine(text, 200))}`
  const place = from === '' ? '' : `${from}: `
  const refuse = (problem: string) =>
    usage('invalid_base_url', `${place}the base URL${quoted} ${problem}`, hint)
  const url = parseUrl(text)
  if (url === undefined || /[\s\p{Cc}\\]/u.test(text))
    throw refuse('is not an absolute URL such as https://…/partner-api/v1')
  const isLoopback = isLoopbackHost(url.hostname)
  if (url.username !== '' || url.password !== '') throw refuse('must not hold a user name or password')
  // The URL parser hides an empty query or fragment, so the text itself is checked.
  if (/[?#]/.test(text)) throw refuse('must not have a query or fragment')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    throw refuse('must start with https:// (plain http is for this machine alone)')
  const path = url.pathname.replace(/\/$/, '')
  if (path.split('/').at(-1) !== API_VERSION) {
    throw refuse(`must end in /${API_VERSION}, for example https://…/partner-api/${API_VERSION}`)
  }
  if (path.includes('//')) throw refuse('must not have an empty path segment')
  return {baseUrl: url.origin + path, isLoopback}
}

/** Refuses to send a live key to this machine (§5.3): usage Failure. Test keys and unknown ones may go anywhere. */
export function checkKeyFits(secretMode: Mode | undefined, baseUrl: string): void {
  if (secretMode !== 'live' || !mayBeThisMachine(new URL(baseUrl).hostname)) return
  throw usage(
    'live_key_on_loopback',
    'a live client secret (sk_live_…) is never sent to this machine',
    'use a test secret (sk_test_…) with the local sandbox, or name the live service with --base-url',
  )
}
