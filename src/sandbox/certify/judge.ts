/** Judges what was seen of a partner's program: the list of all rules, and the sheet of their verdicts. */
import type {CertifySheet, SheetRule} from '../../contract/certificate.js'
import {isoTime} from '../../contract/dates.js'
import {drillsFor} from './drills.js'
import {ERROR_RULES} from './error-rules.js'
import type {Evidence} from './evidence.js'
import {RESERVE_RULES} from './reserve-rules.js'
import type {Finding, Rule} from './rule.js'
import {TOKEN_RULES} from './token-rules.js'
import {VOUCHER_RULES} from './voucher-rules.js'
import {WEBHOOK_RULES} from './webhook-rules.js'

/** Every rule, in the order of the sheet. A request that breaks an earlier rule does not count for `errors.refusal`. */
const RULES: readonly Rule[] = [
  ...TOKEN_RULES,
  ...RESERVE_RULES,
  ...VOUCHER_RULES,
  ...ERROR_RULES,
  ...WEBHOOK_RULES,
]

/** Largest number of ids that are listed for one rule; `seen` and the text count all. */
const MOST_EVIDENCE = 100

/**
 * Judges the evidence of a client by every rule, and returns the sheet as it is printed. `since` is the start of the evidence in
 * Unix seconds of the sandbox's clock; undefined if it is all.
 */
export function judge(evidence: Evidence, clientId: string, since?: number): CertifySheet {
  const explained = new Set<string>()
  const rules = RULES.map((rule): SheetRule => {
    const found = rule.judge(evidence, explained)
    for (const id of found.failures) explained.add(id)
    const {id, section, required, advice} = rule
    const listed = found.failures.slice(0, MOST_EVIDENCE)
    const verdict = verdictOf(found)
    return {
      rule: id,
      section,
      verdict,
      required,
      seen: found.seen,
      evidence: listed,
      text: found.text,
      advice,
      // The drills that would show the rule.
      drills: verdict === 'not_shown' ? drillsFor(id) : [],
    }
  })
  const count = (wanted: SheetRule['verdict']) => rules.filter(({verdict}) => verdict === wanted).length
  return {
    client_id: clientId,
    since: since === undefined ? null : isoTime(since),
    requests: evidence.requests.length,
    passed: count('passed'),
    failed: count('failed'),
    not_shown: count('not_shown'),
    rules,
  }
}

function verdictOf({seen, failures}: Finding): SheetRule['verdict'] {
  if (failures.length > 0) return 'failed'
  return seen > 0 ? 'passed' : 'not_shown'
}
