/**
 * The result of `sandbox certify`: its types and how they are put into words. The sandbox computes it; the dashboard,
 * the command and the written files show it.
 */

export interface SheetRule {
  readonly rule: string
  /** The section of the interface; null if the rule is only good practice. */
  readonly section: string | null
  readonly verdict: 'passed' | 'failed' | 'not_shown'
  /** True if the interface requires the behaviour, false if the rule is advice. */
  readonly required: boolean
  /** The number of times the recorded traffic showed whether the rule is kept. */
  readonly seen: number
  /** Ids of the recorded requests, or of the deliveries, that the verdict is based on. */
  readonly evidence: readonly string[]
  readonly text: string
  readonly advice: string
  /**
   * The `sandbox drill` names that would produce the missing evidence. Only present when the verdict is `not_shown`.
   */
  readonly drills?: readonly string[]
}

/** The result as the sandbox computes it, which is also the JSON document that `sandbox certify --json` prints. */
export interface CertifySheet {
  readonly client_id: string
  readonly since: string | null
  readonly requests: number
  readonly passed: number
  readonly failed: number
  readonly not_shown: number
  readonly rules: readonly SheetRule[]
}

export const isBroken = ({verdict, required}: SheetRule) => verdict === 'failed' && required

/** Groups the rules by verdict, in the order in which every report lists them: failures come first. */
export function partsOf({rules}: CertifySheet) {
  return {
    broken: rules.filter(isBroken),
    advised: rules.filter(rule => rule.verdict === 'failed' && !isBroken(rule)),
    passed: rules.filter(({verdict}) => verdict === 'passed'),
    unseen: rules.filter(({verdict}) => verdict === 'not_shown'),
  }
}

/** Returns `14 passed, 2 failed (1 of them advice), 3 not shown`. */
export function countsText(sheet: CertifySheet): string {
  const advised = partsOf(sheet).advised.length
  const advice = advised > 0 ? ` (${advised} of them advice)` : ''
  return `${sheet.passed} passed, ${sheet.failed} failed${advice}, ${sheet.not_shown} not shown`
}

/** Returns the rule's id, its section, and `(advice)` if it is not required. */
export function nameOf({rule, section, required}: SheetRule): string {
  return [rule, section ?? '', required ? '' : '(advice)'].filter(word => word !== '').join(' ')
}

/** Returns the text of a rule with the verdict `not_shown`, and the command of the first drill that would show it. */
export function unseenText({text, drills = []}: SheetRule): string {
  const [drill] = drills
  return drill === undefined ? text : `${text} (bookctl sandbox drill ${drill})`
}
