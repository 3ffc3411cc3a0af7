/** Prints the result of `sandbox certify`: how the sandbox judged a partner's program, rule by rule. */
import process from 'node:process'
import {
  type CertifySheet,
  countsText,
  isBroken,
  nameOf,
  partsOf,
  type SheetRule,
  unseenText,
} from '../../../contract/certificate.js'
import {instantOf, isoTime} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {TimeOrAgo} from '../../input/checks.js'
import {marksFor, type Painter, type Style, unpainted} from '../../terminal/colour.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {listResult, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'

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

/** Returns `since` as ISO 8601 on the sandbox's clock. `now` returns the time on that clock. */
export async function sinceText(since: TimeOrAgo, now: () => Promise<string>): Promise<string> {
  if ('at' in since) return isoTime(since.at)
  return isoTime((instantOf(await now()) ?? 0) - since.secondsAgo)
}

/** Reports whether a required rule was broken or, with `isComplete`, not shown. */
export function hasFailed({rules}: CertifySheet, isComplete: boolean): boolean {
  return rules.some(rule => isBroken(rule) || (isComplete && rule.required && rule.verdict === 'not_shown'))
}

/** Returns the result. Without --format it is lines for people: what failed and how to fix it, then the rest. */
export function certifyResult(sheet: CertifySheet): Result<SheetRule> {
  const people = (paint: Painter, columns: number) => sheetLines(sheet, paint, columns)
  const text = `${people(unpainted, Number.POSITIVE_INFINITY).join('\n')}\n`
  const result = listResult(sheet, sheet.rules, CERTIFY_COLUMNS)
  return {...result, shown: ['rule', 'verdict', 'required', 'seen', 'text'], people, text}
}

const MOST_SHOWN = 5

function sheetLines(sheet: CertifySheet, paint: Painter, columns: number): string[] {
  const {client_id, since, requests} = sheet
  const marks = marksFor(process.env)
  const marked = (style: 'good' | 'waiting' | 'bad', name: string, text: string) =>
    hung(style, `${marks[style]} ${name}`, text, marks[style].length + 1)
  const hung = (style: Style, start: string, text: string, indent: number): string[] => {
    const [first = '', ...rest] = hang(`${start}: ${text}`, columns, 4, indent)
    return [first.replace(start.trim(), word => paint(style, word)), ...rest]
  }
  const {broken, advised, passed, unseen} = partsOf(sheet)
  const explained = (style: 'bad' | 'waiting') => (rule: SheetRule) => [
    '',
    ...marked(style, sanitizeLine(nameOf(rule)), sanitizeLine(rule.text)),
    ...hung('hint', '  Evidence', evidenceText(rule), 2),
    ...hung('hint', '  Fix', sanitizeLine(rule.advice), 2),
  ]
  const from = since === null ? '' : ` since ${since}`
  const seen = `${counted(requests, 'request')} of ${client_id}${from}`
  return [
    paint(broken.length > 0 ? 'bad' : 'good', countsText(sheet)),
    ...hang(sanitizeLine(seen), columns, 2).map(line => paint('faint', line)),
    ...broken.flatMap(explained('bad')),
    ...advised.flatMap(explained('waiting')),
    ...(passed.length > 0 ? [''] : []),
    ...passed.flatMap(rule => marked('good', sanitizeLine(nameOf(rule)), sanitizeLine(rule.text))),
    ...(unseen.length > 0 ? ['', 'Not shown:'] : []),
    ...unseen.flatMap(rule =>
      hang(`  ${sanitizeLine(nameOf(rule))}: ${sanitizeLine(unseenText(rule))}`, columns, 4),
    ),
  ]
}

function evidenceText({evidence}: SheetRule): string {
  const shown = evidence.slice(0, MOST_SHOWN).map(id => sanitizeLine(id, 100))
  const more = evidence.length - shown.length
  return [shown.join(', '), ...(more > 0 ? [`and ${more} more (--json)`] : [])].join(' ')
}
