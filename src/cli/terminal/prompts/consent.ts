/** A change that somebody has to agree to: what was said decides whether it is made, for every command in the same way. */
import {Failure} from '../../../contract/failure.js'

export interface Change {
  /** What has not happened where nobody agreed: `nothing was sent`. */
  readonly undone: string
  /** What has to be agreed to, for whoever could not be asked: `a live reservation`. */
  readonly what: string
  /** How to agree beforehand; `add --yes` unless told. */
  readonly hint?: string
  /** Goes into the error's JSON: what it would have cost. */
  readonly result?: object
}

/**
 * Returns where `agreed` is true. Throws usage (exit 2): `not_confirmed` where a person said no, `confirmation_needed`
 * where nobody could be asked (`agreed` undefined).
 */
export function requireConsent(agreed: boolean | undefined, change: Change): void {
  if (agreed) return
  const {undone, what, hint = 'add --yes', result} = change
  if (agreed === false) throw new Failure('usage', `not confirmed; ${undone}`, {code: 'not_confirmed'})
  throw new Failure('usage', `${what} has to be confirmed; ${undone}`, {
    ...{code: 'confirmation_needed', hint},
    ...(result ? {result} : {}),
  })
}
