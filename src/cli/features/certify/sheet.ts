/** The sheet of `sandbox certify`: how the sandbox judged a partner's program, rule by rule. */
import process from 'node:process'
import {instantOf, isoTime} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {invalid, readDuration} from '../../input/checks.js'
import {marksFor, type Painter, type Style, unpainted} from '../../terminal/colour.js'
import {listResult, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'

export interface SheetRule {
  readonly rule: string
  /** The section of the interface; null if the rule follows from good practice. */
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

export const CERTIFY_COLUMNS = [
  'rule',
  'verdict',
  'required',
  'seen',
  'section',
  'text',
  'advice',
  'evidence',
] as const satisfies readonly (keyof SheetRule)[]

/** A time of the sandbox's clock, or how many seconds before now by that clock. */
export type SandboxSince = {readonly at: number} | {readonly secondsAgo: number}

/** Reads `--since`. Throws a usage error for what is neither a time nor a duration. */
export function readSandboxSince(field: string, text: string): SandboxSince {
  if (!/^\d{4}-\d\d-\d\d([T ]|$)/.test(text)) return {secondsAgo: readDuration(field, text)}
  const at = instantOf(text)
  if (at === undefined) throw invalid(field, 'must be a valid time', text)
  return {at}
}

/** Returns the time as the sandbox reads it. `now` returns the time of its clock. */
export async function sinceText(since: SandboxSince, now: () => Promise<string>): Promise<string> {
  if ('at' in since) return isoTime(since.at)
  return isoTime((instantOf(await now()) ?? 0) - since.secondsAgo)
}

/** Reports whether a rule that the interface demands was broken or, if all must be shown, was not shown. */
export function hasFailed({rules}: CertifySheet, isComplete: boolean): boolean {
  return rules.some(rule => isBroken(rule) || (isComplete && rule.required && rule.verdict === 'not_shown'))
}

export const isBroken = ({verdict, required}: SheetRule) => verdict === 'failed' && required

/** Returns the result. Without --format it is lines for people: what failed and what to do, then the rest. */
export function certifyResult(sheet: CertifySheet): Result<SheetRule> {
  const people = (paint: Painter, columns: number) => sheetLines(sheet, paint, columns)
  const text = `${people(unpainted, Number.POSITIVE_INFINITY).join('\n')}\n`
  const result = listResult(sheet, sheet.rules, CERTIFY_COLUMNS)
  return {...result, shown: ['rule', 'verdict', 'required', 'seen', 'text'], people, text}
}

const MOST_SHOWN = 5

function sheetLines(sheet: CertifySheet, paint: Painter, columns: number): string[] {
  const {rules, client_id, since, requests} = sheet
  const marks = marksFor(process.env)
  const marked = (style: 'good' | 'waiting' | 'bad', name: string, text: string) =>
    hung(style, `${marks[style]} ${name}`, text, marks[style].length + 1)
  const hung = (style: Style, start: string, text: string, indent: number): string[] => {
    const [first = '', ...rest] = hang(`${start}: ${text}`, columns, 4, indent)
    return [first.replace(start.trim(), word => paint(style, word)), ...rest]
  }
  const broken = rules.filter(isBroken)
  const advised = rules.filter(({verdict, required}) => verdict === 'failed' && !required)
  const unseen = rules.filter(({verdict}) => verdict === 'not_shown')
  const passed = rules.filter(({verdict}) => verdict === 'passed')
  const explained = (style: 'bad' | 'waiting') => (rule: SheetRule) => [
    '',
    ...marked(style, nameOf(rule), sanitizeLine(rule.text)),
    ...hung('hint', '  Evidence', evidenceText(rule), 2),
    ...hung('hint', '  Fix', sanitizeLine(rule.advice), 2),
  ]
  const advice = advised.length > 0 ? ` (${advised.length} of them advice)` : ''
  const counts = `${sheet.passed} passed, ${sheet.failed} failed${advice}, ${sheet.not_shown} not shown`
  const from = since === null ? '' : ` since ${since}`
  const seen = `${requests} ${requests === 1 ? 'request' : 'requests'} of ${client_id}${from}`
  return [
    paint(broken.length > 0 ? 'bad' : 'good', counts),
    ...hang(sanitizeLine(seen), columns, 2).map(line => paint('faint', line)),
    ...broken.flatMap(explained('bad')),
    ...advised.flatMap(explained('waiting')),
    ...(passed.length > 0 ? [''] : []),
    ...passed.flatMap(rule => marked('good', nameOf(rule), sanitizeLine(rule.text))),
    ...(unseen.length > 0 ? ['', 'Not shown:'] : []),
    ...unseen.flatMap(rule => hang(`  ${nameOf(rule)}: ${sanitizeLine(unseenText(rule))}`, columns, 4)),
  ]
}

/** Returns the text of a rule that was not shown, with the drill that shows it. */
export function unseenText({text, drills = []}: SheetRule): string {
  const [drill] = drills
  return drill === undefined ? text : `${text} (bookctl sandbox drill ${drill})`
}

const nameOf = ({rule, section, required}: SheetRule) =>
  [sanitizeLine(rule), section === null ? '' : ` ${sanitizeLine(section)}`, required ? '' : ' (advice)'].join(
    '',
  )

function evidenceText({evidence}: SheetRule): string {
  const shown = evidence.slice(0, MOST_SHOWN).map(id => sanitizeLine(id, 100))
  const more = evidence.length - shown.length
  return [shown.join(', '), ...(more > 0 ? [`and ${more} more (--json)`] : [])].join(' ')
}
