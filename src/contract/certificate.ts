/** The sheet of `sandbox certify`, its parts and their words. The sandbox makes it; the dashboard, the command and files show it. */

export interface SheetRule {
  readonly rule: string
  /** The section of the interface; null if the rule is only good practice. */
  readonly section: string | null
  readonly verdict: 'passed' | 'failed' | 'not_shown'
  /** Whether the interface demands it. The others are advice. */
  readonly required: boolean
  /** How often the traffic showed whether the rule is kept. */
  readonly seen: number
  /** Ids of requests, or of deliveries. */
  readonly evidence: readonly string[]
  readonly text: string
  readonly advice: string
  /** The drills that show it, if it was not shown. */
  readonly drills?: readonly string[]
}

/** The sheet as the sandbox makes it, which is also the JSON document. */
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

/** Returns the rules by their result, in the order of every sheet: failures come first. */
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

/** Returns the rule with its section, and whether it is advice. */
export function nameOf({rule, section, required}: SheetRule): string {
  return [rule, section ?? '', required ? '' : '(advice)'].filter(word => word !== '').join(' ')
}

/** Returns the text of a rule that was not shown, with the drill that shows it. */
export function unseenText({text, drills = []}: SheetRule): string {
  const [drill] = drills
  return drill === undefined ? text : `${text} (bookctl sandbox drill ${drill})`
}
