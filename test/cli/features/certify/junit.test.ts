/** The sheet as JUnit XML: what fails a CI job, what is skipped, and text that XML must escape. */
import {expect, test} from 'vitest'
import {junitXml} from '../../../../src/cli/features/certify/junit.js'
import type {SheetRule} from '../../../../src/contract/certificate.js'

const rule = (name: string, change: Partial<SheetRule>): SheetRule => ({
  ...{rule: name, section: '§7', verdict: 'passed', required: true, seen: 1, evidence: []},
  ...{text: 'all well', advice: 'Go on.'},
  ...change,
})

const xmlOf = (rules: readonly SheetRule[], clientId = 'cid_sandbox') => {
  const count = (verdict: string) => rules.filter(each => each.verdict === verdict).length
  return junitXml({
    ...{client_id: clientId, since: null, requests: 9, rules},
    ...{passed: count('passed'), failed: count('failed'), not_shown: count('not_shown')},
  })
}

test('a broken rule fails, advice passes with a note, and what was not shown is skipped', () => {
  const xml = xmlOf([
    rule('token.cached', {}),
    rule('reserve.key', {verdict: 'failed', evidence: ['req_1', 'req_2'], advice: 'Send a key.'}),
    rule('cancel.fee', {verdict: 'failed', required: false, section: null, evidence: ['req_3']}),
    rule('errors.busy', {verdict: 'not_shown', text: 'never busy', drills: ['busy']}),
  ])
  expect(xml.split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="bookctl sandbox certify" tests="4" failures="1" errors="0" skipped="1">',
    '  <testsuite name="cid_sandbox" tests="4" failures="1" errors="0" skipped="1">',
    '    <testcase classname="certify" name="token.cached §7"/>',
    '    <testcase classname="certify" name="reserve.key §7"><failure message="all well">Evidence: req_1, req_2',
    'Fix: Send a key.</failure></testcase>',
    '    <testcase classname="certify" name="cancel.fee"><system-out>Advice: all well. Go on. Evidence: req_3</system-out></testcase>',
    '    <testcase classname="certify" name="errors.busy §7"><skipped message="never busy (bookctl sandbox drill busy)"/></testcase>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ])
})

test('escapes what XML takes for markup, and leaves out characters that it does not allow', () => {
  const xml = xmlOf(
    [rule('a', {verdict: 'not_shown', text: '<b a="1">&amp;\u0000\u001b[31m\uffff\n'})],
    'a"<&>',
  )
  expect(xml).toContain('<testsuite name="a&quot;&lt;&amp;&gt;"')
  expect(xml).toContain('&lt;b a=&quot;1&quot;&gt;&amp;amp;')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/)
})
