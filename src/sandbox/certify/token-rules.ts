/** Rules about access tokens, scopes and secrets (§5). */
import {ACCESS_TOKEN_LIFETIME_SECONDS} from '../../contract/limits.js'
import {isOperationName, OPERATIONS} from '../../contract/operations.js'
import {counted} from '../base/wording.js'
import type {Evidence, Misplaced, SeenRequest} from './evidence.js'
import {finding, groupBy, inOrder, isAfter, type Rule, type Workers, workersOf} from './rule.js'

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
  /** The hash of the token that was used on the connection before this one was asked for there. */
  readonly usedBefore: string | undefined
  /** When the client was last told, before it asked, that a token is not valid. Negative infinity if it never was. */
  readonly refusedAt: number
  /** Whether it was asked for because of a refused call of its own. */
  readonly isForRefusal: boolean
}

function tokensIn(requests: readonly SeenRequest[]): Map<string, Token> {
  const tokens = new Map<string, Token>()
  const usedOn = new Map<number, string>()
  const refusals = requests.filter(isRefusedToken).map(({ended}) => ended)
  refusals.sort((a, b) => a - b)
  let answeredRefusals = 0
  let renewed = 0
  for (const request of requests) {
    const {facts, token: used, connection} = request
    if (facts.issued !== undefined && request.operation === 'token.create') {
      while ((refusals[answeredRefusals] ?? Number.POSITIVE_INFINITY) <= request.begun) answeredRefusals += 1
      const isForRefusal = renewed < answeredRefusals
      if (isForRefusal) renewed += 1
      tokens.set(facts.issued, {
        request,
        calls: 0,
        lastUse: undefined,
        endedAt: Number.POSITIVE_INFINITY,
        usedBefore: connection === null ? undefined : usedOn.get(connection),
        refusedAt: refusals[answeredRefusals - 1] ?? Number.NEGATIVE_INFINITY,
        isForRefusal,
      })
    }
    const revoked = tokens.get(facts.revoked ?? '')
    if (revoked) revoked.endedAt = Math.min(revoked.endedAt, request.ended)
    if (used === null) continue
    if (connection !== null) usedOn.set(connection, used)
    const token = tokens.get(used)
    if (token === undefined) continue
    token.calls += 1
    token.lastUse = request
    if (isRefusedToken(request)) token.endedAt = Math.min(token.endedAt, request.ended)
  }
  return tokens
}

const isRefusedToken = ({status, token}: SeenRequest) => status === 401 && token !== null

/**
 * Reports whether `earlier` could have been used instead of asking for `token`, and was not in use by another process. After a
 * refused call a program trusts no token that it had then.
 */
function wasNeedless({request, usedBefore, refusedAt}: Token, earlier: Token, workers: Workers): boolean {
  const left = earlier.request.at + ACCESS_TOKEN_LIFETIME_SECONDS - request.at
  // A token that is used later belongs to another process.
  const isInUse = (earlier.lastUse?.begun ?? 0) >= request.begun
  if (left < LEFT_SECONDS || earlier.endedAt <= request.begun || isInUse) return false
  if (earlier.request.ended <= refusedAt) return false
  // The worker had sent a call with it, or all workers must know of it by then.
  const isKnown = request.begun >= earlier.request.ended + workers.unawareMilliseconds
  return isKnown || usedBefore === earlier.request.facts.issued
}

function judgeCached({requests}: Evidence) {
  const workers = workersOf(requests)
  const tokens = [...tokensIn(requests).values()]
  const failures: SeenRequest[] = []
  for (const same of groupBy(tokens, ({request}) => sorted(request.facts.scopes ?? '')).values()) {
    const needless = same.filter((token, n) => {
      if (token.calls > FEW_CALLS || token.isForRefusal) return false
      const before = same.slice(Math.max(0, n - MOST_EARLIER), n)
      return before.some(earlier => wasNeedless(token, earlier, workers))
    })
    if (needless.length >= MOST_NEEDLESS) failures.push(...needless.map(({request}) => request))
  }
  const shown = tokens.filter(({calls}) => calls > 1).length
  return finding(shown, inOrder(failures), {
    broken: count =>
      `${counted(count, 'token')} served ${FEW_CALLS} calls or fewer while an earlier one was still valid`,
    kept: `${counted(shown, 'token')} served several calls`,
    unseen: 'no token was used for two calls',
  })
}

const sorted = (scopes: string) => scopes.split(' ').sort().join(' ')

/** An injected 401 counts as the expiry of a valid token, whatever its code is. */
const isExpiry = ({status, code, fault, token}: SeenRequest) =>
  status === 401 && token !== null && (code === 'token_expired' || fault !== null)

/**
 * Workers send the old token until one of them has asked for a new one. On a busy machine that request is read this long after the
 * first 401 at most; a later one is taken for another start of the program.
 */
const LONGEST_UNREAD_MILLISECONDS = 30_000
/**
 * How long after that workers may still send what they had queued with the old token: on a busy machine some seconds. Each such
 * call is refused and must be repeated anyway, so a program that goes on with the old token is found without it.
 */
const LONGEST_QUEUED_MILLISECONDS = 10_000

function judgeRenewed({requests}: Evidence) {
  const workers = workersOf(requests)
  const calls = requests.filter(({token}) => token !== null)
  const refused = calls.filter(isExpiry)
  const tokens = new Set(refused.map(({token}) => token))
  const uses = groupBy(
    calls.filter(({token}) => tokens.has(token)),
    ({token}) => token ?? '',
  )
  const asks = requests.filter(({operation}) => operation === 'token.create')
  const asked = asks.map(({begun}) => begun)
  const inVain = asks.filter(({facts}) => facts.issued === undefined).map(({ended}) => ended)
  inVain.sort((a, b) => a - b)
  const failures = new Set<SeenRequest>()
  for (const [token, same] of groupBy(refused, ({token}) => token ?? '')) {
    const heard = Math.min(...same.map(({ended}) => ended))
    const known = workers.areSeveral
      ? (soonAfter(asked, heard) ?? heard) + LONGEST_QUEUED_MILLISECONDS
      : heard
    for (const use of uses.get(token) ?? []) if (use.begun > known) failures.add(use)
  }
  const unrepeated = refused.length > 0 ? notRepeated(calls) : []
  // A program that gets no token may give up.
  const gotNoToken = ({begun}: SeenRequest) => soonAfter(inVain, begun) !== undefined
  for (const refusal of unrepeated) if (!gotNoToken(refusal)) failures.add(refusal)
  return finding(refused.length, inOrder(failures), {
    broken: count =>
      `after a 401 the old token was sent again, or the call was not repeated: ${counted(count, 'request')}`,
    kept: `${counted(refused.length, 'refused token')}: a new one was obtained and the call repeated`,
    unseen: 'no token expired while it was in use',
  })
}

/** Returns the first of the ascending `times` from `from` on, all in milliseconds; undefined if none comes soon. */
function soonAfter(times: readonly number[], from: number): number | undefined {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? from) < from) low = middle + 1
    else high = middle
  }
  const first = times[low]
  return first !== undefined && first <= from + LONGEST_UNREAD_MILLISECONDS ? first : undefined
}

/**
 * Returns the refused calls that were not repeated with another token. Each needs a repeat of its own, in whatever order; a repeat
 * that is refused again needs no other. `calls` are all calls in the order of their arrival.
 */
function notRepeated(calls: readonly SeenRequest[]): SeenRequest[] {
  /** For each call, what waits for a repeat, by the token that was refused. */
  const open = new Map<string, Map<string | null, Set<SeenRequest>>>()
  for (const call of calls) {
    const waiting = open.get(call.content) ?? new Map<string | null, Set<SeenRequest>>()
    let isRepeat = false
    for (const [token, refused] of waiting) {
      if (token !== call.token && takeFirst(refused, each => isAfter(each, call))) isRepeat = true
      if (refused.size === 0) waiting.delete(token)
    }
    if (!isExpiry(call) || isRepeat) continue
    open.set(call.content, waiting.set(call.token, (waiting.get(call.token) ?? new Set()).add(call)))
  }
  return [...open.values()].flatMap(waiting => [...waiting.values()]).flatMap(refused => [...refused])
}

/** Removes the first item that fits. Returns whether there was one. */
function takeFirst<Item>(items: Set<Item>, fits: (item: Item) => boolean): boolean {
  for (const item of items) {
    if (!fits(item)) continue
    items.delete(item)
    return true
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
