import {expect, test} from 'vitest'
import {parseUrl} from '../../src/contract/foreign-text.js'

test('a URL with a letter such as ü is parsed, also after thousands of calls', () => {
  const denied = Array.from({length: 20_000}, () => parseUrl('https://bücher.example/ü')).filter(url => !url)
  expect(denied).toEqual([])
  expect([parseUrl('no address'), parseUrl('/a', 'https://b.example')?.pathname]).toEqual([undefined, '/a'])
})
