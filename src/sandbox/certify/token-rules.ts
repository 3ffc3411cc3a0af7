/** Rules about access tokens, scopes and secrets (§5). */
import {ACCESS_TOKEN_LIFETIME_SECONDS} from '../../contract/limits.js'
import {isOperationName, OPERATIONS} from '../../contract/operations.js'
import {counted} from '../base/wording.js'
import type {Evidence, Misplaced, SeenRequest} from './evidence.js'
import {finding, groupBy, inOrder, isAfter, type Rule} from './rule.js'

/** A token that serves this many calls or fewer counts as a token for each call. */
const FEW_CALLS = 5
/** An earlier token that is valid for at least this much longer should have been used. */
const LEFT_SECONDS = 300
const MOST_NEEDLESS = 5
/** Number of earlier tokens that are compared: the latest. */
const MOST_EARLIER = 1000

interface Token {
  readonly request: SeenRequest
  calls: number
  lastUse: SeenRequest | undefined
  /** When the client was told that it is no longer valid, or revoked it, in milliseconds of real time. */
  endedAt: number
}

function tokensIn(requests: readonly SeenRequest[]): Map<string, Token> {
  const tokens = new Map<string, Token>()
  for (const request of requests) {
    const {facts, token: used, status} = request
    if (facts.issued !== undefined && request.operation === 'token.create') {
      const added = {request, calls: 0, lastUse: undefined, endedAt: Number.POSITIVE_INFINITY}
      tokens.set(facts.issued, added)
    }
    const revoked = tokens.get(facts.revoked ?? '')
    if (revoked) revoked.endedAt = Math.min(revoked.endedAt, request.ended)
    const token = tokens.get(used ?? '')
    if (token === undefined) continue
    token.calls += 1
    token.lastUse = request
    if (status === 401) token.endedAt = Math.min(token.endedAt, request.ended)
  }
  return tokens
}

/** Reports whether `earlier` could have been used instead of asking for `token`, and was not in use by another process. */
function wasNeedless(token: Token, earlier: Token): boolean {
  const {request} = token
  const left = earlier.request.at + ACCESS_TOKEN_LIFETIME_SECONDS - request.at
  // A token that is used later belongs to another process.
  const isInUse = (earlier.lastUse?.begun ?? 0) >= request.begun
  return (
    isAfter(earlier.request, request) && left >= LEFT_SECONDS && earlier.endedAt > request.begun && !isInUse
  )
}

function judgeCached({requests}: Evidence) {
  const tokens = [...tokensIn(requests).values()]
  const failures: SeenRequest[] = []
  for (const same of groupBy(tokens, ({request}) => sorted(request.facts.scopes ?? '')).values()) {
    const needless = same.filter((token, n) => {
      const before = same.slice(Math.max(0, n - MOST_EARLIER), n)
      return token.calls <= FEW_CALLS && before.some(earlier => wasNeedless(token, earlier))
    })
    if (needless.length >= MOST_NEEDLESS) failures.push(...needless.map(({request}) => request))
  }
  const shown = tokens.filter(({calls}) => calls > 1).length
  return finding(shown, failures, {
    broken: count =>
      `${counted(count, 'token')} served ${FEW_CALLS} calls or fewer while an earlier one was still valid`,
    kept: `${counted(shown, 'token')} served several calls`,
    unseen: 'no token was used for two calls',
  })
}

const sorted = (scopes: string) => scopes.split(' ').sort().join(' ')

/** How long workers of a program with several may still send an old token, in milliseconds of real time. */
const WORKERS_MILLISECONDS = 2000

/** An injected 401 counts as the expiry of a valid token, whatever its code is. */
const isExpiry = ({status, code, fault, token}: SeenRequest) =>
  status === 401 && token !== null && (code === 'token_expired' || fault !== null)

function judgeRenewed({requests}: Evidence) {
  const refused = requests.filter(isExpiry)
  const calls = requests.filter(({token}) => token !== null)
  const tokens = new Set(refused.map(({token}) => token))
  const byToken = groupBy(
    calls.filter(({token}) => tokens.has(token)),
    ({token}) => token ?? '',
  )
  const failures = new Set<SeenRequest>()
  for (const [token, same] of groupBy(refused, ({token}) => token ?? '')) {
    const heard = Math.min(...same.map(({ended}) => ended))
    const uses = byToken.get(token) ?? []
    const patience = hasOverlap(uses) ? WORKERS_MILLISECONDS : 0
    for (const use of uses) if (use.begun >= heard + patience && use.begun > heard) failures.add(use)
  }
  const repeats = groupBy(refused.length === 0 ? [] : calls, callOf)
  for (const refusal of refused) {
    const later = repeats.get(callOf(refusal)) ?? []
    const isRepeat = (each: SeenRequest) => each.token !== refusal.token && isAfter(refusal, each)
    const isRepeated = later.findLast(isRepeat) !== undefined
    if (!isRepeated) failures.add(refusal)
  }
  return finding(refused.length, inOrder(failures), {
    broken: count =>
      `after a 401 the old token was sent again, or the call was not repeated: ${counted(count, 'request')}`,
    kept: `${counted(refused.length, 'refused token')}: a new one was obtained and the call repeated`,
    unseen: 'no token expired while it was in use',
  })
}

/** A call may be repeated with another body, such as a later date. */
const callOf = ({operation, facts}: SeenRequest) => `${operation} ${facts.reservation ?? ''}`

/** Reports whether two of the requests were under way at the same time. */
export function hasOverlap(requests: readonly SeenRequest[]): boolean {
  let latest = 0
  for (const {begun, ended} of requests) {
    if (begun < latest) return true
    latest = Math.max(latest, ended)
  }
  return false
}

/** With fewer calls, a program has not shown what it needs. */
const LEAST_CALLS = 20

function judgeScopes({requests}: Evidence) {
  const needed = new Set<string | null>()
  let calls = 0
  for (const {operation} of requests) {
    if (operation === null || !isOperationName(operation) || OPERATIONS[operation].scope === null) continue
    calls += 1
    needed.add(OPERATIONS[operation].scope)
  }
  const asking = calls < LEAST_CALLS ? [] : requests.filter(({facts}) => facts.issued !== undefined)
  const needlessIn = ({facts}: SeenRequest) =>
    (facts.askedScopes ?? '').split(' ').filter(scope => scope !== '' && !needed.has(scope))
  const failures = asking.filter(request => needlessIn(request).length > 0)
  const needless = [...new Set(failures.flatMap(needlessIn))].sort()
  return finding(asking.length, failures, {
    broken: () => `no call of ${calls} needed ${needless.join(', ')}`,
    kept: `${calls} calls needed every scope that was asked for`,
    unseen: `${counted(calls, 'call')}: too few to know which scopes are needed (${LEAST_CALLS})`,
  })
}

const PLACES: Readonly<Record<Misplaced, string>> = {
  'secret in header': 'the client secret in a header',
  'secret in url': 'the client secret in a URL',
  'secret in body': 'the client secret in the body of another request',
  'token in url': 'an access token in a URL',
}

function judgePlace({requests}: Evidence) {
  const asked = requests.filter(({operation}) => operation === 'token.create').length
  const failures = requests.filter(({facts}) => facts.misplaced !== undefined)
  const places = [...new Set(failures.flatMap(({facts}) => facts.misplaced ?? []))].map(
    place => PLACES[place],
  )
  return finding(asked, failures, {
    broken: count => `${counted(count, 'request')} with ${places.join(', ')}`,
    kept: `the secret was sent in the body of ${counted(asked, 'token request')} only`,
    unseen: 'no token was asked for',
  })
}

export const TOKEN_RULES: readonly Rule[] = [
  {
    id: 'token.cached',
    section: '§5.7',
    required: true,
    advice: 'Keep the token until it expires (expires_in), and use it for every call.',
    judge: judgeCached,
  },
  {
    id: 'token.renewed',
    section: '§5.6, §7',
    required: true,
    advice: 'After a 401 get a new token, then repeat the call once with it.',
    judge: judgeRenewed,
  },
  {
    id: 'token.scopes',
    section: '§5.9',
    required: true,
    advice: 'Ask only for the scopes that your calls need.',
    judge: judgeScopes,
  },
  {
    id: 'secret.place',
    section: '§5.4',
    required: true,
    advice:
      'Send the client secret in the body of POST /oauth/token only, and tokens in the Authorization header only.',
    judge: judgePlace,
  },
]
