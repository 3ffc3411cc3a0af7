/** What fuzzing found in the redaction; its properties in general are in test/proof/properties/redaction-*.ts. */
import process from 'node:process'
import {expect, test} from 'vitest'
import {createRedactor, redactText} from '../../src/api/redact/redact.js'

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
  ['12 10000000146', '12 [redacted]'],
  ['room 5 4111 1111 1111 1111', 'room 5 [redacted]'],
  ['rooms 1 2 3 4 4111 1111 1111 1111', 'rooms 1 2 [redacted]'],
  ['4111-1111-1111-1111-', '[redacted]-'],
  ['no.4111 1111 1111 1111 2030-06-01 7', 'no.[redacted] 2030-06-01 7'],
  [`${'1 '.repeat(30)}100 000 001 46 5`, `${'1 '.repeat(30)}[redacted] 5`],
])('an identity number is taken out of %j', (text, safe) => expect(redactText(text)).toBe(safe))

test.each([
  ...['+90 532 123 45 67', '+90 (532) 123-45-67', '+90.532.123.45.67', '+1 212.555.0100', '+90-532-123-4567'],
  ...['+(90) 532 1234567', '+376 123 456', '+49/30/1234567', '+90\u00a0532\u00a0123\u00a045\u00a067'],
])('the telephone number %s goes as people write it', number => {
  expect(redactText(`call ${number}, or write`)).toBe('call [redacted], or write')
  expect(redactText(`${number} 2030-06-01`)).toBe('[redacted] 2030-06-01')
  expect(redactText(`(${number}) 450.00 EUR`)).toBe('([redacted]) 450.00 EUR')
})

test.each([
  ...[
    '+50.00 120.00 170.00',
    '+3 2030-06-01 12:00',
    '12:00:00+03:00 2030-06-01',
    '+2030-06-01 12',
    '+1 2 3',
    '+ 5',
  ],
  ...['UTC+3 450 1200 30', '+12345678', '+12 34 5678', 'a+90 532 123 45 67'],
])('%s is no telephone number', text => expect(redactText(text)).toBe(text))

test('what a percent sign encodes goes alone, with the word it stands in', () => {
  const message = 'Discount 20%20off; write to support%40hotel.example; RSV-1 was refused'
  expect(redactText(message)).toBe('Discount 20%20off; write to [redacted]; RSV-1 was refused')
  expect(redactText('a 4111%201111 1111 1111 b%20c')).toBe('a [redacted] b%20c')
  expect(redactText('room%204111111111111111%20x')).toBe('room%20[redacted]%20x')
  expect(redactText('x%ff%40y.example a%ffb')).toBe('x%ff%40y.example a%ffb')
})

test('a short value that was told goes where it is a word of its own', () => {
  const redactor = createRedactor()
  for (const value of ['101', 'Zed', 'Öz-', '"x"']) redactor.add(value)
  for (const innocent of ['1101.00 EUR', '101.00', '101,5', '5.101', '2101', 'x101', 'Zeder', 'éZed', 'aÖz-'])
    expect(redactor.text(innocent)).toBe(innocent)
  for (const [text, safe] of [
    ['101', '[redacted]'],
    ['no. 101.', 'no. [redacted].'],
    ['7,101,125', '7,[redacted],125'],
    ['Zed_Zed', '[redacted]_[redacted]'],
    ['a%20Zed%0A101 b', 'a%20[redacted]%0A[redacted] b'],
    [String.raw`\nZed\u000a101`, String.raw`\n[redacted]\u000a[redacted]`],
    ['Öz-a', '[redacted]a'],
    ['a"x"b', 'a[redacted]b'],
  ] as const)
    expect(redactor.text(text)).toBe(safe)
})

test.each([
  ['{"identity":{"note":"}","number":"U7654321"}', '{"identity":[redacted]'],
  ['{"identity":{"note":"}","number":"U7654321"}}, "a":1', '{"identity":[redacted]}, "a":1'],
  ['{"identity":["U7654321","]","U1111111"', '{"identity":[redacted]'],
  [String.raw`{"identity":{"a":"\"}","b":"\\"},"c":"d"`, '{"identity":[redacted],"c":"d"'],
  ['"guests":[{"name":"Zed","surname":"x"}', '"guests":[redacted]'],
  ['"holder":"Zed","room":{"name":"Sea', '"holder":"[redacted]","room":{"name":"Sea'],
  [
    String.raw`{"body":"{\"card\":{\"a\":\"}\",\"b\":\"\\\"}\",\"number\":\"U7\"},\"c\":\"d\"`,
    String.raw`{"body":"{\"card\":[redacted],\"c\":\"d\"`,
  ],
  [String.raw`{"body":"{\"card\":{\"a\":\"cut","c":"d"`, String.raw`{"body":"{\"card\":[redacted]","c":"d"`],
  [String.raw`{\\"card\\":{\\"a\\":1},"c":"d"`, String.raw`{\\"card\\":[redacted]`],
])('brackets in strings are no brackets: %s', (before, after) => {
  expect(redactText(before)).toBe(after)
  expect(redactText(after)).toBe(after)
})
