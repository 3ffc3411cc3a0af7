/**
 * What is said when a scope is missing (§5), in two sentences: which one, whether this client was granted it as far as that is
 * known, and who can grant it.
 */
import type {Grant} from '../types.js'

/** A service may list any number of scopes. */
const MOST_LISTED = 10

/**
 * Returns the sentences about `scope`, or about several that are separated by spaces. `grant` is what is known of the token.
 * Returns undefined if the service did not name the scope (`isNamed`) and the token was granted it: then something else is refused.
 */
export function missingScope(scope: string, grant: Grant | undefined, isNamed: boolean): string | undefined {
  const scopes = scope.split(' ')
  const what = `the scope${scopes.length === 1 ? '' : 's'} ${scopes.join(', ')}`
  const verb = scopes.length === 1 ? 'is' : 'are'
  const missing = `${what} ${isNamed ? verb : 'may be'} missing`
  const onlyOperator = 'only the operator of the service can grant scopes'
  if (grant === undefined)
    return `${missing}, and whether this client was granted it is not known. Ask for it: ${onlyOperator}`
  const {asked, granted} = grant
  if (asked === undefined) {
    const unknown = `${missing}: BOOKCTL_TOKEN does not say its scopes, so whether this client was granted it is not known`
    return `${unknown}. Set it to a token that was requested with ${scope}; ${onlyOperator}`
  }
  if (scopes.every(each => granted.includes(each))) {
    if (!isNamed) return undefined
    return `the service says that ${what} ${verb} missing, although it granted this client ${listOf(granted)}. Ask it why: ${onlyOperator}`
  }
  if (scopes.every(each => asked.includes(each)))
    return `${missing}: of the scopes requested, the service granted this client ${listOf(granted)}. Ask for it: ${onlyOperator}`
  const unasked = `${missing}: the token was requested with ${listOf(asked)}, so whether this client was granted it is not known`
  const ways = `bookctl login --scope ${scopes[0]}, with the others you use, or BOOKCTL_SCOPES`
  return `${unasked}. Request it as well (${ways}); ${onlyOperator}`
}

/** Returns the sentences about the scopes `asked` where the service refused to issue a token with them. */
export function refusedScopes(asked: readonly string[]): string {
  const [only = 'none', ...others] = asked
  const missing =
    others.length === 0
      ? `the scope ${only} is missing: the service did not grant it to this client`
      : `a scope is missing: the service did not grant this client all of ${listOf(asked)}`
  return `${missing}. Only the operator of the service can grant scopes; to use others: bookctl login --scope …`
}

function listOf(scopes: readonly string[]): string {
  const shown = scopes.slice(0, MOST_LISTED).join(', ')
  const more = scopes.length > MOST_LISTED ? ` and ${scopes.length - MOST_LISTED} more` : ''
  return scopes.length === 0 ? 'none' : shown + more
}
