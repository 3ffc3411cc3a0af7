/** Answers as large as a service may send them are read, redacted and traced whole, in time that grows with their size. */
import {expect, test} from 'vitest'
import {textIn} from '../src/api/answers/facts.js'
import {readAnswer, refusalOf} from '../src/api/answers/refusals.js'
import {createRedactor} from '../src/api/redact/redact.js'
import {createTrace} from '../src/api/trace/trace.js'
import {sanitizeLine} from '../src/contract/foreign-text.js'
import {fieldsOf} from '../src/contract/json.js'

const NOW = 1_800_000_000
const MANY = 130_000
const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({length: count}, (_, n) => make(n))

test('finds a name in a record of 130,000 fields', () => {
  const wide = Object.fromEntries(numbered(MANY, n => [`key_${n}`, n]))
  expect(textIn(fieldsOf({name: {...wide, key_0: ' '}}), ['name'])).toBe('1')
})

test('no text is too long for the patterns that make it safe', () => {
  expect(sanitizeLine('\u0301'.repeat(5e6))).toBe('\\u0301'.repeat(5e6))
  const redactor = createRedactor(['hunter2secret'])
  for (const unit of ['1 ', '\u0301', 'x@x.', 'Bearer xxxx', '?token='])
    expect(redactor.text(unit.repeat(4e5)).length).toBeGreaterThan(0)
  expect(redactor.text(`x@x${'.x'.repeat(2e6)} hunter2secret`)).not.toContain('hunter2')
})

const request = {method: 'GET', url: 'https://a.test/v1/account', headers: {authorization: 'Bearer x'}}
const answerOf = (status: number, json: unknown) => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(json)),
})

test('a refusal with long lists of details quotes the first of them', () => {
  for (const details of [
    numbered(MANY, n => ({field: `f${n}`, message: 'wrong'})),
    Object.fromEntries(numbered(MANY, n => [`f${n}`, 'wrong'])),
    {f0: numbered(MANY, () => 'wrong')},
  ]) {
    const sent = {...answerOf(400, {error: {code: 'c', message: 'm', details}}), url: request.url}
    const answer = readAnswer({...sent, attempts: 1, mayHaveActed: false})
    expect(refusalOf(answer, {now: NOW}).message).toMatch(/^the service refused: m \(f0: wrong/)
  }
})

test('-vv shows the beginning of a long body, redacted, and no half of a secret', () => {
  const secret = `hunter2secret${'z'.repeat(40_000)}`
  for (let filler = 0; filler < 40_000; filler += 7993) {
    const lines: string[] = []
    const trace = createTrace({show: line => lines.push(line), bodies: true, secrets: [secret]})
    const body = {token: 't'.repeat(filler), list: ['x'.repeat(filler), secret, ...numbered(MANY, String)]}
    const outcome = answerOf(200, body)
    const times = {attempt: 1, startedAt: NOW, milliseconds: 1, waitMilliseconds: undefined}
    trace.attempt({request, outcome, ...times})
    const shown = lines.join('\n')
    expect(shown).not.toContain('hunter2')
    expect(shown).toMatch(/< \{"token":"\[redacted\]".*\(cut; \d+ bytes\)$/s)
    expect(shown.length).toBeLessThan(5000)
  }
})
