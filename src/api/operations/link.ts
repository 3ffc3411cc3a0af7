/** Fetches the voucher's signed link (§2.6): no Authorization, no cookies, and no step from https to http. */
import {Failure} from '../../contract/failure.js'
import {throwUnanswered} from '../answers/refusals.js'
import {isLoopbackHost} from '../http/loopback.js'
import type {Sender, SendPolicy, SentAnswer} from '../types.js'

export interface LinkParts {
  readonly baseUrl: string
  readonly sender: Sender
  /** Bound on each fetch (default 60). */
  readonly timeoutSeconds?: number
}

/** Not in the interface. */
const LINK_LIMITS = {redirects: 3, bytes: 50 * 1024 * 1024, seconds: 60} as const
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * GETs a foreign link, following up to three redirects; the answer may have any other status. https only, except
 * that a service on this machine may give plain http links to this machine. Throws Failure; no failure holds the link.
 */
export async function fetchLink(
  parts: LinkParts,
  link: string,
  policy?: Partial<SendPolicy>,
): Promise<SentAnswer> {
  let url = parseLink(link, undefined, parts.baseUrl)
  for (let redirects = 0; ; redirects++) {
    const answer = await get(parts, url, policy)
    if (!REDIRECTS.has(answer.status)) return answer
    if (redirects === LINK_LIMITS.redirects)
      throw badLink(`is redirected more than ${LINK_LIMITS.redirects} times`)
    const {location} = answer.headers
    if (!location) throw badLink('is redirected without saying where to')
    url = parseLink(location, url, parts.baseUrl)
  }
}

async function get(parts: LinkParts, url: URL, policy?: Partial<SendPolicy>): Promise<SentAnswer> {
  const request = {method: 'GET', url: url.href, headers: {accept: 'application/pdf'}}
  // Only the host is reported, because the rest of the link opens the voucher.
  const name = "the host of the voucher's link"
  const hint =
    'the service gave this link: try again, check the connection to that host, or ask the operator of the service'
  const limits = {
    timeoutSeconds: parts.timeoutSeconds ?? LINK_LIMITS.seconds,
    maxAnswerBytes: LINK_LIMITS.bytes,
  }
  return parts.sender
    .send(request, {repeatable: true, ...limits, ...policy})
    .catch(throwUnanswered(false, {name, host: url.host, hint}))
}

function parseLink(link: string, from: URL | undefined, baseUrl: string): URL {
  if (!URL.canParse(link, from?.href)) throw badLink('is not a URL')
  const url = new URL(link, from?.href)
  if (url.username !== '' || url.password !== '') throw badLink('holds a user name or password')
  if (url.protocol === 'https:') return url
  const local = isLoopbackHost(url.hostname) && isLoopbackHost(new URL(baseUrl).hostname)
  if (url.protocol !== 'http:' || !local || from?.protocol === 'https:') throw badLink('is not https')
  return url
}

function badLink(problem: string): Failure {
  return new Failure('service_failed', `the voucher's link ${problem}; it was not followed`, {
    code: 'bad_voucher_link',
    hint: 'report this to the operator of the service',
  })
}
