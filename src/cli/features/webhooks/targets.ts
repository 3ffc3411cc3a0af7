/**
 * Checks the URLs to which events are sent, finds the certificates to trust, and explains why a target does not answer.
 */
import {X509Certificate} from 'node:crypto'
import {lstatSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {diagnoseConnecting, diagnoseExchange} from '../../../api/http/exchange.js'
import {EVENT_TYPE_NAMES} from '../../../contract/events.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {isLoopbackHost} from '../../../contract/network.js'
import {LISTEN_CA_NAME} from '../../../state/file-names.js'
import {readPem} from '../../../storage/files.js'
import {matchesType, type Route, targetLabel} from '../../../webhooks/forward/routes.js'
import {invalid} from '../../input/checks.js'
import {closest, didYouMean} from '../../input/match.js'
import {trustedCertificates} from '../../session/trust.js'

/**
 * Returns a URL to which events are sent, without its fragment. Throws a usage error that names `field` unless the URL
 * is https, or http on this machine, and has no user name.
 */
export function checkTarget(field: string, text: string): string {
  const url = parseUrl(text)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (url === undefined || !isSafe || url.username !== '' || url.password !== '') {
    const rule =
      'must be an https URL, or an http URL of this machine (127.0.0.1, localhost), without user name'
    throw invalid(field, rule)
  }
  url.hash = ''
  return url.href
}

/**
 * Returns the route of a --forward-to value: `URL`, or `PATTERN=URL` for some event types. Only letters, dots and `*`
 * before the first `=` are a pattern, because a URL may contain `=` too. Throws a usage error if `checkTarget` refuses
 * the URL, or if the pattern matches no event type (§6.1).
 */
export function readRoute(field: string, text: string): Route {
  const [, pattern] = /^([A-Za-z.*]+)=/.exec(text) ?? []
  if (pattern === undefined) {
    // A URL begins with its scheme. Other words before a `=` and a URL are meant as a pattern.
    const [, meant] = /^([^=:/?#]*)=\s*https?:/i.exec(text) ?? []
    if (meant === undefined) return {url: checkTarget(field, text), pattern}
    throw invalid(field, 'the pattern before = has only letters, dots and *', meant, patternHint(meant))
  }
  if (EVENT_TYPE_NAMES.some(type => matchesType(pattern, type)))
    return {url: checkTarget(field, text.slice(pattern.length + 1)), pattern}
  throw invalid(field, 'the pattern before = must match a type of event', pattern, patternHint(pattern))
}

/** Returns the hint for a wrong pattern: the type probably meant, how to give several, or the list of all types. */
function patternHint(pattern: string): string {
  const meant = closest(pattern, EVENT_TYPE_NAMES)
  if (meant !== undefined) return didYouMean(meant)
  if (/[,;\s]/.test(pattern.trim())) return 'for several patterns, repeat --forward-to with the same URL'
  return `the types are ${EVENT_TYPE_NAMES.join(', ')}; * stands for any characters`
}

/** Formats a target for a person, without its query. */
export function targetText(target: string): string {
  return sanitizeLine(targetLabel(target), 200)
}

/** Returns the certificates to trust for `url`, as `trustedCertificates` does. */
export async function trustedFor(url: string, caFile: string | undefined, directory: string) {
  return trustedCertificates(caFileFor(url, caFile, directory), process.env)
}

/**
 * Returns `caFile`. If it is undefined and `url` is an https URL of this machine, returns the authority file of `listen
 * --tls`, if it exists.
 */
export function caFileFor(url: string, caFile: string | undefined, directory: string): string | undefined {
  const {protocol, hostname} = new URL(url)
  if (caFile !== undefined || protocol !== 'https:' || !isLoopbackHost(hostname)) return caFile
  const own = join(directory, LISTEN_CA_NAME)
  try {
    // Does not follow symbolic links.
    return lstatSync(own).isFile() && new X509Certificate(readPem(own)) ? own : undefined
  } catch {
    return undefined
  }
}

/** Reports whether an answer took longer than a receiver may take (§6.4). */
export function isLate(milliseconds: number): boolean {
  return milliseconds > WEBHOOK_RESPONSE_SECONDS * 1000
}

export function isRedirect(status: number | null): boolean {
  return status !== null && status >= 300 && status < 400
}

/**
 * Returns why `url` did not answer: the system's code (`ECONNREFUSED`, `timeout`), or words for an error of the HTTP
 * parser or TLS; null if it answered.
 */
export function unansweredText(error: string | null, url: string): string | null {
  if (error === null) return null
  const code = error === 'HPE_HEADER_OVERFLOW' ? 'UND_ERR_HEADERS_OVERFLOW' : error
  const place = {target: new URL(url).host, proxy: undefined}
  const cause = Object.assign(new Error(error), {code})
  if (error.startsWith('HPE_')) return diagnoseExchange(cause, place, false)[1]
  const [fault, reason] = diagnoseConnecting(cause, place)
  return fault === 'tls' ? reason : error
}
