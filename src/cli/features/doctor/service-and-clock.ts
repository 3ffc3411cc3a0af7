/** What `doctor` asks the service: whether it answers, its clock, a token, its scopes, the account. */
import {throwUnanswered} from '../../../api/answers/refusals.js'
import {showAccount} from '../../../api/operations/account.js'
import type {Sender, SentAnswer} from '../../../api/types.js'
import {isoTime} from '../../../contract/dates.js'
import {parseJson} from '../../../contract/json.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import {BOOKING_SCOPES, OPERATIONS, SCOPES, type Scope} from '../../../contract/operations.js'
import type {Token} from '../../../contract/token-cache.js'
import type {Connection} from '../../session/connect.js'
import {checkReadyToken} from '../access/access.js'
import {type Checks, type Finding, fail, ok, skipped, warn} from './check.js'

type SignedIn = Pick<Connection, 'api' | 'tokens' | 'target'>

/** A clock that is this wrong misjudges when tokens expire; beyond §6.3's tolerance it refuses signatures too. */
const NOTABLE_SKEW_SECONDS = 60

/** `open` is called by the first check. BOOKCTL_TOKEN does not show its scopes, so the account check shows what it is good for. */
export function serviceChecks(
  baseUrl: string,
  open: () => Promise<{readonly sender: Sender; readonly signedIn: SignedIn | undefined}>,
  {timeoutSeconds, now}: {timeoutSeconds: number; now: () => number},
): Checks {
  let link: Awaited<ReturnType<typeof open>> | undefined
  let answer: SentAnswer | undefined
  let answeredAt = 0
  let token: Pick<Token, 'scopes'> | undefined
  const withLogin = (work: (signedIn: SignedIn) => Promise<Finding> | Finding) => () => {
    if (!answer) return skipped(NO_ANSWER)
    return link?.signedIn ? work(link.signedIn) : skipped('no credentials')
  }
  return {
    service: async () => {
      link = await open()
      const began = now()
      answer = await askWithoutToken(baseUrl, link.sender, timeoutSeconds)
      answeredAt = (began + now()) / 2
      return describeAnswer(answer, baseUrl, (now() - began) * 1000)
    },
    clock: () => (answer ? checkClock(answer.headers, answeredAt) : skipped(NO_ANSWER)),
    token: withLogin(async ({api, tokens, target}) => {
      if (target.token) {
        await checkReadyToken(api)
        token = {scopes: ['account:read']}
        return ok('BOOKCTL_TOKEN is accepted; it is never renewed')
      }
      const {scopes, expiresAt} = await tokens.get(target.scopes ?? BOOKING_SCOPES)
      token = {scopes}
      const minutes = Math.max(0, Math.floor((expiresAt - now()) / 60))
      return ok(`valid until ${isoTime(expiresAt)}, ${minutes} minutes`)
    }),
    scopes: withLogin(({target}) => {
      if (target.token) return skipped('unknown for BOOKCTL_TOKEN')
      return token ? checkScopes(target.scopes ?? BOOKING_SCOPES, token.scopes) : skipped('no token')
    }),
    account: withLogin(async ({api, target}) => {
      if (!token) return skipped(target.token ? 'the token is not accepted' : 'no token')
      if (!token.scopes.includes('account:read')) return skipped('the token lacks the scope account:read')
      const {account_id, status} = await showAccount(api)
      const facts = [account_id, status].filter(fact => typeof fact === 'string')
      return ok(`answers${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`)
    }),
  }
}

const NO_ANSWER = 'the service did not answer'

async function askWithoutToken(baseUrl: string, sender: Sender, timeoutSeconds: number): Promise<SentAnswer> {
  const url = baseUrl + OPERATIONS['account.show'].path
  const request = {method: 'GET', url, headers: {accept: 'application/json'}}
  return sender.send(request, {repeatable: true, timeoutSeconds}).catch(throwUnanswered(false))
}

function describeAnswer({status, body}: SentAnswer, baseUrl: string, milliseconds: number): Finding {
  const summary = `${baseUrl} answered ${status} in ${Math.round(milliseconds)} ms`
  if (status >= 500)
    return fail('service_failed', summary, 'try again later, or ask the operator of the service')
  if (status === 401) return ok(`${summary}, as expected without a token`)
  const fix = 'check that the base URL is the address of the service'
  if (status < 400 || parseJson(body) === undefined)
    return warn(`${summary} to a request without a token, where 401 is expected`, fix)
  return ok(summary)
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
  return seconds > SIGNATURE_TOLERANCE_SECONDS ? fail('usage', detail, fix) : warn(detail, fix)
}

function checkScopes(asked: readonly Scope[], granted: readonly string[]): Finding {
  const lacking = asked.filter(scope => !granted.includes(scope))
  if (lacking.length === 0) return ok(`granted: ${granted.join(', ')}`)
  const words = lacking.map(scope => `${scope} (${SCOPES[scope]})`).join('; ')
  const fix = `ask the operator to grant ${lacking.join(', ')}, or log in with fewer scopes: bookctl login --scope …`
  return warn(`granted: ${granted.join(', ') || 'none'}; not granted: ${words}`, fix)
}
