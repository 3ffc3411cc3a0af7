/**
 * Words the hint for a missing scope (§5): which scope it is, whether it was granted to this client (if known), and who
 * can grant it.
 */
import type {Grant} from '../types.js'

/** Maximum number of scopes in a hint, because a service may list any number. */
const MOST_SCOPES = 10

/**
 * Returns the hint for a missing `scope`, or several separated by spaces. `grant` describes the token, and `isNamed`
 * says that the service named the scope. Returns undefined if the service did not name it and the token has it, because
 * then the scope is not the reason.
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

/** Returns the hint for a refusal to issue a token with the scopes `asked`. */
export function refusedScopes(asked: readonly string[]): string {
  const [only = 'none', ...others] = asked
  const missing =
    others.length === 0
      ? `the scope ${only} is missing: the service did not grant it to this client`
      : `a scope is missing: the service did not grant this client all of ${listOf(asked)}`
  return `${missing}. Only the operator of the service can grant scopes; to use others: bookctl login --scope …`
}

function listOf(scopes: readonly string[]): string {
  const shown = scopes.slice(0, MOST_SCOPES).join(', ')
  const more = scopes.length > MOST_SCOPES ? ` and ${scopes.length - MOST_SCOPES} more` : ''
  return scopes.length === 0 ? 'none' : shown + more
}
