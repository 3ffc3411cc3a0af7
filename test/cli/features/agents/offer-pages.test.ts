/** Pages of the offers of a search. */
import {expect, test} from 'vitest'
import {OfferPages} from '../../../../src/cli/features/agents/offer-pages.js'

const offers = (count: number) => Array.from({length: count}, (_, n) => ({n}))
const searched = (count: number, wish = 'wish') => ({
  wish,
  head: {search: {}},
  offers: offers(count),
  expiresAt: 1000,
})

test('every offer is on one page, and the last page has no cursor', () => {
  const pages = new OfferPages(() => 0)
  const seen: object[] = []
  let page = pages.open(searched(45), 20)
  for (;;) {
    seen.push(...page.offers)
    expect(page.found).toBe(45)
    if (page.next_cursor === null) break
    page = pages.read(page.next_cursor, undefined, 20)
  }
  expect(seen).toEqual(offers(45))
})

test('a cursor ends with its offers, and belongs to its search', () => {
  let now = 0
  const pages = new OfferPages(() => now)
  const {next_cursor} = pages.open(searched(3), 1)
  const cursor = next_cursor ?? ''
  expect(pages.read(cursor, 'wish', 1).offers).toEqual([{n: 1}])
  expect(() => pages.read(cursor, 'another', 1)).toThrow('a search with other arguments')
  for (const wrong of ['', 'x', `${cursor}9999999`, cursor.replace(/^./, '-')])
    expect(() => pages.read(wrong, undefined, 1)).toThrow('no longer kept')
  now = 1000
  expect(() => pages.read(cursor, undefined, 1)).toThrow('no longer kept')
})

test('only the last twenty searches are kept', () => {
  const pages = new OfferPages(() => 0)
  const cursors = Array.from({length: 21}, () => pages.open(searched(2), 1).next_cursor ?? '')
  expect(() => pages.read(cursors[0] ?? '', undefined, 1)).toThrow('no longer kept')
  for (const cursor of cursors.slice(1)) expect(pages.read(cursor, undefined, 1).offers).toEqual([{n: 1}])
})
