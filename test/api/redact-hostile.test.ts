/** What fuzzing found in the redaction; its properties in general are in test/proof/properties/redaction-*.ts. */
import process from 'node:process'
import {expect, test} from 'vitest'
import {createRedactor, redactText} from '../../src/api/redact.js'

test('half a surrogate pair in a secret, as JSON can hold it, is no defect and is taken out in all spellings', () => {
  const redactor = createRedactor()
  redactor.add('secret \ud800 of a service')
  const written = [
    'secret \ud800 of a service',
    'secret \ufffd of a service',
    'secret%20%EF%BF%BD%20of%20a%20service',
  ]
  for (const text of written) expect(redactor.text(`x ${text} y`)).toBe('x [redacted] y')
})

test.each(['x', 'a@', 'a.', '-eyJ', '&token', 'token', '1 ', '"a":"'])(
  '%j, a hundred thousand times, takes no time',
  piece => {
    const began = process.cpuUsage()
    redactText(`${piece.repeat(100_000 / piece.length)}@`)
    expect(process.cpuUsage(began).user).toBeLessThan(4_000_000)
  },
)

test.each(['2096-10-01 2006-04-20', 'from 00:00 2002-04-24 2011-11-02', '2030-06-01 2030-06-04 450.00'])(
  '%s is no number of a card',
  text => expect(redactText(text)).toBe(text),
)

test.each([
  ['2030-06-01 10000000146', '2030-06-01 [redacted]'],
  ['10000000146 2030-06-01', '[redacted] 2030-06-01'],
  ['12 10000000146', '[redacted]'],
  ['room 5 4111 1111 1111 1111', 'room [redacted]'],
])('an identity number is taken out of %j', (text, safe) => expect(redactText(text)).toBe(safe))
