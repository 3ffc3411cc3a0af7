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
import {type Check, type Checks, type Finding, fail, ok, runChecks, skipAll, skipped, warn} from './check.js'

/** What requests go through; `signedIn` is there when there are credentials. */
export interface Link {
  readonly sender: Sender
  readonly signedIn: {readonly api: Api; readonly tokens: TokenSource; readonly target: Target} | undefined
}

export const SERVICE_CHECKS = ['service', 'clock', 'token', 'scopes', 'account']

/** A clock that is this wrong misjudges when tokens expire; beyond §6.3's tolerance it refuses signatures too. */
const NOTABLE_SKEW_SECONDS = 60
const GRAVE_SKEW_SECONDS = 300

export async function checkService(
  baseUrl: string,
  {sender, signedIn}: Link,
  {timeoutSeconds, now}: {timeoutSeconds: number; now: () => number},
): Promise<Check[]> {
  let answer: SentAnswer | undefined
  const began = now()
  const service = await runChecks({
    service: async () => {
      answer = await askWithoutToken(baseUrl, sender, timeoutSeconds)
      return describeAnswer(answer, baseUrl, (now() - began) * 1000)
    },
  })
  const answered = (began + now()) / 2
  if (!answer) return [...service, ...skipAll(SERVICE_CHECKS.slice(1), 'the service did not answer')]
  const {headers} = answer
  const clock = await runChecks({clock: () => checkClock(headers, answered)})
  const rest = signedIn
    ? await runChecks(signedInChecks(signedIn, now))
    : skipAll(SERVICE_CHECKS.slice(2), 'no credentials')
  return [...service, ...clock, ...rest]
}

async function askWithoutToken(baseUrl: string, sender: Sender, timeoutSeconds: number): Promise<SentAnswer> {
  const url = baseUrl + OPERATIONS['account.show'].path
  const request = {method: 'GET', url, headers: {accept: 'application/json'}}
  return sender.send(request, {repeatable: true, timeoutSeconds}).catch(error => {
    throw error instanceof SendError ? unanswered(error, false) : error
  })
}

function describeAnswer({status, body}: SentAnswer, baseUrl: string, milliseconds: number): Finding {
  const said = `${baseUrl} answered ${status} in ${Math.round(milliseconds)} ms`
  if (status >= 500)
    return fail('service_failed', said, 'try again later, or ask the operator of the service')
  if (status === 401) return ok(`${said}, as expected without a token`)
  const fix = 'check that the base URL is the address of the service'
  if (status < 400 || parseJson(body) === undefined)
    return warn(`${said} to a request without a token, where 401 is expected`, fix)
  return ok(said)
}

/** `at`: Unix seconds on this machine, when the answer was made. */
function checkClock(headers: SentAnswer['headers'], at: number): Finding {
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(date)) return skipped('the response has no Date header')
  // Date has whole seconds, so half a second is added on average.
  const skew = at - (date / 1000 + 0.5)
  const seconds = Math.abs(Math.round(skew))
  if (seconds < NOTABLE_SKEW_SECONDS) return ok(`within ${Math.max(seconds, 1)} s of the service's`)
  const detail = `${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service's: tokens and signatures depend on the time`
  const fix = 'set the clock of this machine by NTP: timedatectl set-ntp true'
  return seconds > GRAVE_SKEW_SECONDS ? fail('usage', detail, fix) : warn(detail, fix)
}

/** BOOKCTL_TOKEN does not show its scopes and expiry, so the account check shows what it is good for. */
function signedInChecks({api, tokens, target}: NonNullable<Link['signedIn']>, now: () => number): Checks {
  const asked = target.scopes ?? BOOKING_SCOPES
  let token: Pick<Token, 'scopes'> | undefined
  return {
    token: async () => {
      if (target.token) {
        await checkReadyToken(api)
        token = {scopes: ['account:read']}
        return ok('BOOKCTL_TOKEN is accepted; it is never renewed')
      }
      const {scopes, expiresAt} = await tokens.get(asked)
      token = {scopes}
      const minutes = Math.max(0, Math.floor((expiresAt - now()) / 60))
      return ok(`valid until ${isoTime(expiresAt)}, ${minutes} minutes`)
    },
    scopes: () => {
      if (target.token) return skipped('unknown for BOOKCTL_TOKEN')
      return token ? checkScopes(asked, token.scopes) : skipped('no token')
    },
    account: async () => {
      if (!token) return skipped(target.token ? 'the token is not accepted' : 'no token')
      if (!token.scopes.includes('account:read')) return skipped('the token lacks the scope account:read')
      const {account_id, status} = await showAccount(api)
      const facts = [account_id, status].filter(fact => typeof fact === 'string')
      return ok(`answers${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`)
    },
  }
}

function checkScopes(asked: readonly Scope[], granted: readonly string[]): Finding {
  const lacking = asked.filter(scope => !granted.includes(scope))
  if (lacking.length === 0) return ok(`granted: ${granted.join(', ')}`)
  const words = lacking.map(scope => `${scope} (${SCOPES[scope]})`).join('; ')
  const fix = `ask the operator to grant ${lacking.join(', ')}, or log in with fewer scopes: bookctl login --scope …`
  return warn(`granted: ${granted.join(', ') || 'none'}; not granted: ${words}`, fix)
}
