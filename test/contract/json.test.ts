/** Numbers that JavaScript would change keep every digit. Everything else is the same as with JSON.parse and JSON.stringify. */
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {isObject, parseExactly, parseJson, stringify, textOf} from '../../src/contract/json.js'

describe('long numbers', () => {
  test.each([
    '9007199254740993',
    '12345678901234567890123',
    '123456789012345.6789',
    '1e400',
    '9007199254740993.0',
  ])('%s is printed as it came, and read as a text of its digits', digits => {
    for (const json of [digits, `[${digits}]`, `{"a":{"b":[1,${digits}]},"c":"x"}`]) {
      expect(stringify(parseExactly(json))).toBe(json)
      expect(stringify(parseJson(Buffer.from(json)))).toBe(json)
    }
    const value = parseExactly(digits)
    expect(textOf(value)).toBe(digits)
    expect(isObject(value)).toBe(false)
  })

  test.each(['1', '1.5', '9007199254740991', '0.30000000000000004', '20300101', '1e5', '-0'])(
    '%s is a number like any other',
    digits => {
      expect(parseExactly(`[9007199254740993, ${digits}]`)).toEqual([expect.anything(), JSON.parse(digits)])
    },
  )

  test('other values are printed as JSON.stringify prints them', () => {
    const inner = {a: [], b: {}, c: [1, {d: null}], e: undefined, f: 'ü\u0007"', g: new Date(0), toJSON: 1}
    const text = (number: unknown, print: (value: unknown) => string | undefined) =>
      print({number, inner, list: [undefined, true]})
    for (const indent of [0, 2]) {
      const exact = text(parseExactly('9007199254740993'), value => stringify(value, indent))
      expect(exact).toBe(
        text(1, value => JSON.stringify(value, null, indent))?.replace('1,', '9007199254740993,'),
      )
    }
  })

  test('keys that mean something to JavaScript, and keys that come twice, are as JSON.parse has them', () => {
    const json = '{"__proto__":{"x":1},"constructor":2,"a":1,"a":{"isLosslessNumber":true,"value":"x"},"n":@}'
    const exact = parseExactly(json.replace('@', '9007199254740993')) as object
    const plain = JSON.parse(json.replace('@', '1')) as object
    expect(Object.keys(exact)).toEqual(Object.keys(plain))
    expect(stringify({...exact, n: 1})).toBe(JSON.stringify(plain))
    expect(({} as {x?: number}).x).toBeUndefined()
  })

  test('any document parses equally alone and next to a long number', () => {
    fc.assert(
      fc.property(fc.json(), json => {
        const [value, long] = parseExactly(`[${json}, 9007199254740993]`) as unknown[]
        expect(JSON.parse(stringify(value) ?? '')).toEqual(JSON.parse(json))
        expect(textOf(long)).toBe('9007199254740993')
      }),
    )
  })

  test.each([
    '',
    '01',
    '[9007199254740993,]',
    '{"a":9007199254740993',
    '9007199254740993 1',
    '.1234567890123456',
  ])('%j is no JSON', text => {
    expect(() => parseExactly(text)).toThrow(SyntaxError)
    expect(parseJson(Buffer.from(text))).toBeUndefined()
  })
})
