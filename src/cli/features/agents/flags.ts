/** The flags of `mcp`, and what is refused before a client is served. */
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {type Failure, usage} from '../../../contract/failure.js'
import {invalid, readMaximum} from '../../input/checks.js'
import {checkedFlag} from '../../input/flags.js'
import {closest, didYouMean} from '../../input/match.js'
import {combined} from '../../input/usage-errors.js'
import type {Target} from '../../session/resolve.js'
import {LOG_FORMATS} from '../webhooks/listen-log.js'
import {readSpendingLimits, type SpendingLimits} from './limits.js'
import {CHANGES, type Change} from './tool.js'

function readChange(field: string, text: string): Change {
  const found = CHANGES.find(change => change === text)
  if (found) return found
  const meant = closest(text, CHANGES)
  const hint = meant === undefined ? 'all others are listed anyway' : didYouMean(meant)
  throw invalid(field, `must be ${CHANGES.join(' or ')}`, text, hint)
}

function readLimit(field: string, text: string) {
  const {amount, currency} = readMaximum(field, text)
  if (currency !== null) return {amount, currency}
  throw invalid(field, 'must have a currency, such as "500 EUR"', text)
}

export const allowFlag = {
  allow: checkedFlag(readChange)({
    helpValue: 'CHANGE',
    multiple: true,
    delimiter: ',',
    summary: `tools that change something: ${CHANGES.join(', ')} (default none)`,
  }),
}

export const mcpFlags = {
  ...allowFlag,
  'max-total': checkedFlag(readLimit)({
    helpValue: 'AMOUNT',
    summary: 'limit on all reservations of the last 24 hours together, such as "500 EUR"',
  }),
  'max-each': checkedFlag(readLimit)({
    helpValue: 'AMOUNT',
    summary: 'limit on each reservation, such as "200 EUR"',
  }),
  'per-day': Flags.integer({helpValue: 'N', min: 1, summary: 'maximum number of reservations in 24 hours'}),
  consent: Flags.option({
    options: ['ask', 'none'],
    summary: 'who approves: ask a person (default), or none, with test credentials only',
  })(),
  live: Flags.boolean({summary: 'allow live credentials'}),
  'voucher-dir': Flags.string({
    helpValue: 'DIR',
    summary: 'directory in which vouchers may be written (default none)',
  }),
  log: Flags.option({options: LOG_FORMATS, summary: 'log each call on stderr in this format'})(),
}

type McpFlags = Partial<InferredFlags<typeof mcpFlags>>

/** What the server may do. */
export interface Permissions {
  readonly allowed: readonly Change[]
  /** Undefined if nothing may be reserved. */
  readonly limits: SpendingLimits | undefined
  /** Who approves what is reserved or cancelled: a person is asked, or nobody. */
  readonly consent: 'ask' | 'none'
}

/** Reads what the server may do. Throws a usage error that names every flag that is missing or contradicts another. */
export function readPermissions(flags: McpFlags): Permissions {
  const {allow = [], 'max-total': total, 'max-each': each, consent} = flags
  if (total && each && total.currency !== each.currency)
    throw invalid('--max-each', `must be in the currency of --max-total, ${total.currency}`, each.currency)
  const allowed = CHANGES.filter(change => allow.includes(change))
  const limits = allowed.includes('reserve') ? readSpendingLimits(flags) : undefined
  return {allowed, limits, consent: consent === 'none' ? 'none' : 'ask'}
}

/** Throws a usage error that names every flag that the credentials forbid or need. */
export function checkTarget({mode}: Target, {live, consent}: McpFlags): void {
  if (mode !== 'live') return
  const errors: Failure[] = []
  if (!live) {
    const problem = 'the credentials are live, and what an agent reserves with them is real'
    errors.push(usage('live_not_allowed', problem, 'add --live, or use test credentials: --profile NAME'))
  }
  if (consent === 'none') {
    const problem = '--consent none is for test credentials only'
    errors.push(
      usage('consent_required', problem, 'leave --consent none out: a person approves each reservation'),
    )
  }
  if (errors.length > 0) throw combined(errors)
}
