/**
 * Formats the result of `sandbox certify` as JUnit XML, which CI systems can show: a suite for the client, a test case
 * for each rule.
 */
import {type CertifySheet, isBroken, type SheetRule, unseenText} from '../../../contract/certificate.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'

/** Returns the XML. Advice that was not followed is a passed case with a note, because it must not fail a CI job. */
export function junitXml(sheet: CertifySheet): string {
  const {rules, client_id, not_shown} = sheet
  const failures = rules.filter(isBroken).length
  const counts = `tests="${rules.length}" failures="${failures}" errors="0" skipped="${not_shown}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="bookctl sandbox certify" ${counts}>`,
    `  <testsuite name="${escaped(client_id)}" ${counts}>`,
    ...rules.map(caseOf),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function caseOf(rule: SheetRule): string {
  const {section, verdict} = rule
  const name = section === null ? rule.rule : `${rule.rule} ${section}`
  const start = `    <testcase classname="certify" name="${escaped(name)}"`
  if (isBroken(rule)) {
    const lines = [`Evidence: ${rule.evidence.join(', ')}`, `Fix: ${rule.advice}`].map(escaped)
    return `${start}><failure message="${escaped(rule.text)}">${lines.join('\n')}</failure></testcase>`
  }
  if (verdict === 'failed') {
    const note = `Advice: ${rule.text}. ${rule.advice} Evidence: ${rule.evidence.join(', ')}`
    return `${start}><system-out>${escaped(note)}</system-out></testcase>`
  }
  if (verdict === 'passed') return `${start}/>`
  return `${start}><skipped message="${escaped(unseenText(rule))}"/></testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}

/**
 * Returns the text escaped for an element or an attribute of XML or HTML, on one line and without characters that XML
 * does not allow.
 */
export function escaped(text: string): string {
  return sanitizeLine(text, 20_000).replace(/[&<>"]/g, character => ENTITIES[character] ?? character)
}
