/** Fetches the voucher's signed link (§2.6): no Authorization, no cookies, and no weaker connection than it began with. */
import {Failure} from '../../contract/failure.js'
import {unanswered} from '../answers/refusals.js'
import {isLoopbackHost} from '../http/loopback.js'
import {SendError, type Sender, type SendPolicy, type SentAnswer} from '../types.js'

export interface LinkParts {
  readonly baseUrl: string
  readonly sender: Sender
  /** Bound on each fetch (default 60). */
  readonly timeoutSeconds?: number
}

/** Ours. */
const MAX_REDIRECTS = 3
const MAX_LINK_BYTES = 50 * 1024 * 1024
const LINK_TIMEOUT_SECONDS = 60
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
    if (redirects === MAX_REDIRECTS) throw badLink(`is redirected more than ${MAX_REDIRECTS} times`)
    const {location} = answer.headers
    if (!location) throw badLink('is redirected without saying where to')
    url = parseLink(location, url, parts.baseUrl)
  }
}

async function get(parts: LinkParts, url: URL, policy?: Partial<SendPolicy>): Promise<SentAnswer> {
  const request = {method: 'GET', url: url.href, headers: {accept: 'application/pdf'}}
  try {
    return await parts.sender.send(request, {
      repeatable: true,
      timeoutSeconds: parts.timeoutSeconds ?? LINK_TIMEOUT_SECONDS,
      maxAnswerBytes: MAX_LINK_BYTES,
      ...policy,
    })
  } catch (error) {
    throw error instanceof SendError ? unanswered(error, false, hostOf(url)) : error
  }
}

/** Of a link only the host is reported: the rest of it opens the voucher. */
function hostOf(url: URL) {
  const hint =
    'the service gave this link: try again, check the way to that host, or ask the operator of the service'
  return {name: "the host of the voucher's link", host: url.host, hint}
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
