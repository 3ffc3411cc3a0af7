/** A secret known by value is taken out in every spelling, and innocent text stays. */
import {expect, test} from 'vitest'
import {createRedactor, spellingsOf} from '../../src/api/redact/redact.js'

const GONE = '[redacted]'
const words = (text: string) => text.trim().split(/\s+/)
const knowing = (...secrets: string[]) => {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

test('a short one goes where it is a word of its own', () => {
  const redactor = knowing('101', 'Zed', 'Öz-', '"x"')
  for (const innocent of words('1101.00 101.00 101,5 5.101 2101 x101 Zeder éZed aÖz-'))
    expect(redactor.text(innocent)).toBe(innocent)
  for (const [before, after] of [
    ['101', GONE],
    ['no. 101.', `no. ${GONE}.`],
    ['7,101,125', `7,${GONE},125`],
    ['Zed_Zed', `${GONE}_${GONE}`],
    ['a%20Zed%0A101 b', `a%20${GONE}%0A${GONE} b`],
    [String.raw`\nZed\u000a101`, String.raw`\n[redacted]\u000a[redacted]`],
    ['Öz-a', `${GONE}a`],
    ['a"x"b', `a${GONE}b`],
  ] as const)
    expect(redactor.text(before)).toBe(after)
})

test('it goes in every spelling: percent-encoded, in JSON, in hex and in base64 of each beginning', () => {
  expect(spellingsOf('a"ş/')).toEqual(
    words(String.raw`a"ş/ a%22%C5%9F%2F a\"ş/ 6122c59f2f YSLFny EixZ8v hIsWfL`),
  )
  expect(spellingsOf('?>abc').slice(3)).toEqual(['Pz5hYm', '8+YWJj', '8-YWJj', '/PmFiY', '_PmFiY'])
  const redactor = knowing('secret \ud800 of a service')
  for (const half of ['\ud800', '\ufffd'])
    expect(redactor.text(`x secret ${half} of a service y`)).toBe(`x ${GONE} y`)
  expect(redactor.text('x secret%20%EF%BF%BD%20of%20a%20service y')).toBe(`x ${GONE} y`)
})
