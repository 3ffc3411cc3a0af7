/** What counts as the same when a person searches by name. */
import {expect, test} from 'vitest'
import {fold} from '../../src/cli/input/match.js'

test.each([
  ['İSTANBUL', 'istanbul'],
  ['ıstanbul', 'istanbul'],
  ['Iğdır', 'igdir'],
  ['São Paulo', 'sao paulo'],
  ['Köln', 'koln'],
  ['Kołobrzeg', 'kolobrzeg'],
  ['Gəncə', 'gence'],
  ['  Ǆ ', 'dz'],
])('%s → %s', (text, folded) => expect(fold(text)).toBe(folded))
