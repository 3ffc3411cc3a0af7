/** What `doctor` asks the service: whether it answers, its clock, a token, its scopes, the account. */

import {unanswered} from '../../../api/answers/refusals.js'
import {showAccount} from '../../../api/operations/account.js'
import {type Api, SendError, type Sender, type SentAnswer, type TokenSource} from '../../../api/types.js'
import {isoTime} from '../../../contract/dates.js'
import {parseJson} from '../../../contract/json.js'
import {OPERATIONS} from '../../../contract/operations.js'
import {BOOKING_SCOPES, SCOPES, type Scope} from '../../../contract/scopes.js'
import type {Token} from '../../../contract/token-cache.js'
import type {Target} from '../../session/target.js'
import {checkReadyToken} from '../access/access.js'
import {type Check, checking, fail, ok, skipped, warn} from './check.js'

/** What requests go through; `signedIn` is there when there are credentials. */
export interface Link {
  readonly sender: Sender
  readonly signedIn: {readonly api: Api; readonly tokens: TokenSource; readonly target: Target} | undefined
}

export const SERVICE_CHECKS = ['service', 'clock', 'token', 'scopes', 'account']

/** Ours: a token seems to live so much longer or shorter; beyond §6.3's tolerance signatures are refused as well. */
const NOTABLE_SKEW_SECONDS = 60
const GRAVE_SKEW_SECONDS = 300

/** All of them. `reached` is false where the way to the service is known to be blocked. */
export async function checkService(
  baseUrl: string,
  link: Link,
  {timeoutSeconds, now}: {timeoutSeconds: number; now: () => number},
): Promise<Check[]> {
  let answer: SentAnswer | undefined
  let between = 0
  const service = await checking('service', async () => {
    const began = now()
    answer = await askWithoutToken(baseUrl, link.sender, timeoutSeconds)
    between = (began + now()) / 2
    return describeAnswer(answer, baseUrl, (now() - began) * 1000)
  })
  const clock = answer ? checkClock(answer, between) : skipped('clock', 'the service did not answer')
  const signedIn = answer ? link.signedIn : undefined
  if (!signedIn) {
    const why = answer ? 'no credentials' : 'the service did not answer'
    return [service, clock, ...['token', 'scopes', 'account'].map(name => skipped(name, why))]
  }
  return [service, clock, ...(await checkSignedIn(signedIn, now))]
}

async function askWithoutToken(baseUrl: string, sender: Sender, timeoutSeconds: number): Promise<SentAnswer> {
  const url = baseUrl + OPERATIONS['account.show'].path
  const request = {method: 'GET', url, headers: {accept: 'application/json'}}
  return sender.send(request, {repeatable: true, timeoutSeconds}).catch(error => {
    throw error instanceof SendError ? unanswered(error, false) : error
  })
}

function describeAnswer({status, body}: SentAnswer, baseUrl: string, milliseconds: number): Check {
  const said = `${baseUrl} answered ${status} in ${Math.round(milliseconds)} ms`
  if (status >= 500)
    return fail('service', 'service_failed', said, 'try again later, or ask the operator of the service')
  if (status === 401) return ok('service', `${said}, as expected without a token`)
  const fix = 'check that the base URL is the address of the service'
  if (status < 400 || parseJson(body) === undefined)
    return warn('service', `${said} to a request without a token, where 401 is expected`, fix)
  return ok('service', said)
}

/** `at`: Unix seconds on this machine, when the answer was made. */
function checkClock({headers}: SentAnswer, at: number): Check {
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(date)) return skipped('clock', 'the response has no Date header')
  // Date has whole seconds, so half a second is added on average.
  const skew = at - (date / 1000 + 0.5)
  const seconds = Math.abs(Math.round(skew))
  if (seconds < NOTABLE_SKEW_SECONDS) return ok('clock', `within ${Math.max(seconds, 1)} s of the service's`)
  const detail = `${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service's: tokens and signatures depend on the time`
  const fix = 'set the clock of this machine by NTP: timedatectl set-ntp true'
  return seconds > GRAVE_SKEW_SECONDS ? fail('clock', 'usage', detail, fix) : warn('clock', detail, fix)
}

async function checkSignedIn(
  {api, tokens, target}: NonNullable<Link['signedIn']>,
  now: () => number,
): Promise<Check[]> {
  if (target.token) return checkReady(api)
  const asked = target.scopes ?? BOOKING_SCOPES
  let token: Token | undefined
  const obtained = await checking('token', async () => {
    token = await tokens.get(asked)
    const minutes = Math.max(0, Math.floor((token.expiresAt - now()) / 60))
    return ok('token', `valid until ${isoTime(token.expiresAt)}, ${minutes} minutes`)
  })
  if (!token) return [obtained, ...['scopes', 'account'].map(name => skipped(name, 'no token'))]
  return [obtained, checkScopes(asked, token.scopes), await checkAccount(api, token)]
}

/** BOOKCTL_TOKEN says neither its scopes nor how long it is valid: what it is good for shows at the account. */
async function checkReady(api: Api): Promise<Check[]> {
  let isTaken = false
  const token = await checking('token', async () => {
    await checkReadyToken(api)
    isTaken = true
    return ok('token', 'BOOKCTL_TOKEN is accepted; it is never renewed')
  })
  const account = isTaken ? await askAccount(api) : skipped('account', 'the token is not accepted')
  return [token, skipped('scopes', 'unknown for BOOKCTL_TOKEN'), account]
}

function checkScopes(asked: readonly Scope[], granted: readonly string[]): Check {
  const lacking = asked.filter(scope => !granted.includes(scope))
  if (lacking.length === 0) return ok('scopes', `granted: ${granted.join(', ')}`)
  const words = lacking.map(scope => `${scope} (${SCOPES[scope]})`).join('; ')
  const fix = `ask the operator to grant ${lacking.join(', ')}, or log in with fewer scopes: bookctl login --scope …`
  return warn('scopes', `granted: ${granted.join(', ') || 'none'}; not granted: ${words}`, fix)
}

async function checkAccount(api: Api, token: Token): Promise<Check> {
  if (!token.scopes.includes('account:read'))
    return skipped('account', 'the token lacks the scope account:read')
  return askAccount(api)
}

function askAccount(api: Api): Promise<Check> {
  return checking('account', async () => {
    const account = await showAccount(api)
    const {account_id, status} = account
    const facts = [account_id, status].filter(fact => typeof fact === 'string')
    return ok('account', `answers${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`)
  })
}
