import {expect, test} from 'vitest'
import {parseUrl} from '../../src/contract/url.js'

test('a URL with a letter such as ü is parsed, also after thousands of calls', () => {
  const denied = Array.from({length: 20_000}, () => parseUrl('https://bücher.example/ü')).filter(url => !url)
  expect([denied.length, parseUrl('no address'), parseUrl('/a', 'https://b.example')?.href]).toEqual([
    0,
    undefined,
    'https://b.example/a',
  ])
})
