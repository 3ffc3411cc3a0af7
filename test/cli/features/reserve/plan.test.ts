import {describe, expect, test} from 'vitest'
import {chargeAhead, checkOffer, findDoubts} from '../../../../src/cli/features/reserve/plan.js'
import type {JournalEntry} from '../../../../src/contract/journal.js'
import type {Guest} from '../../../../src/contract/reservations.js'
import type {SeenOffer} from '../../../../src/contract/seen-offers.js'
import {requestFor} from '../../../support/booking.js'
import {SEEN} from '../../../support/seen-offer.js'
import {thrownBy} from '../../../support/thrown.js'

const guest = (birth_date: string, number = '10000000146'): Guest => ({
  type: 'ADULT',
  name: 'A',
  surname: 'B',
  birth_date,
  identity: {type: 'TC', number},
  is_lead: true,
})
const REQUEST = {...requestFor('off_1', 'R'), client_nationality: 'TR'}
const most = (amount: string, currency: string | null = null) => ({maxPrice: {amount, currency}})
/** The search for an offer used another currency than its price. */
const SEARCHED = {refundable: null, free_cancellation_until: null, terms: null, city: null, currency: 'KWD'}
const FACTS = {now: 1500, maxPrice: undefined, earlier: undefined}
/** An earlier attempt without an outcome, which is being repeated. */
const earlier = {
  outcome: 'unknown',
  attempts: 1,
  reservationRef: null,
  clientReferenceId: 'R',
  agreed: {price: '450.00', currency: 'EUR'},
} as JournalEntry

describe('an offer is refused here', () => {
  test.each<[string, SeenOffer | undefined, Partial<typeof FACTS> | ReturnType<typeof most>, string]>([
    ['when it has expired', SEEN, {now: 1900}, 'offer_expired'],
    ['when it was used', {...SEEN, used_by_reference: 'Q'}, {}, 'offer_already_used'],
    ['when it was searched for another nationality', {...SEEN, nationality: 'DE'}, {}, 'nationality_changed'],
    ['when it costs more', SEEN, most('449.99'), 'price_too_high'],
    ['when it is in another currency', SEEN, most('9999', 'KWD'), 'price_not_comparable'],
    [
      'when it is in another currency than searched',
      {...SEEN, details: SEARCHED},
      most('9999'),
      'price_not_comparable',
    ],
    ['when its price is not known', {...SEEN, total: null}, most('9999'), 'price_unknown'],
    ['when it is unknown and has a maximum price', undefined, most('9999'), 'price_unknown'],
  ])('%s', (_, seen, facts, code) => {
    expect(thrownBy(() => checkOffer(seen, REQUEST, {...FACTS, ...facts})).details.code).toBe(code)
  })

  test('whose price is unknown, and another search would not change that', () => {
    const check = () => checkOffer({...SEEN, total: null}, REQUEST, {...FACTS, ...most('9999')})
    const {message, details} = thrownBy(check)
    expect(message).toContain('named none, or one that can be read in two ways')
    expect(details.hint).not.toContain('search first')
  })

  test('for no other reason', () => {
    checkOffer(SEEN, REQUEST, {...FACTS, ...most('450')})
    checkOffer(SEEN, REQUEST, {...FACTS, ...most('450.0', 'EUR')})
    checkOffer({...SEEN, currency: null, details: SEARCHED}, REQUEST, {...FACTS, ...most('450', 'KWD')})
    checkOffer(undefined, REQUEST, FACTS)
    checkOffer({...SEEN, used_by_reference: 'R'}, REQUEST, {...FACTS, now: 5000, earlier})
  })

  test('when it is repeated, by the price that was agreed then, and with no hint to search again', () => {
    checkOffer(undefined, REQUEST, {...FACTS, ...most('450'), earlier})
    const unpriced = {...earlier, agreed: null}
    for (const [facts, code] of [
      [{...most('449.99'), earlier}, 'price_too_high'],
      [{...most('9999', 'KWD'), earlier}, 'price_not_comparable'],
      [{...most('9999'), earlier: unpriced}, 'price_unknown'],
    ] as const) {
      const {details} = thrownBy(() => checkOffer(undefined, REQUEST, {...FACTS, ...facts}))
      expect(details).toMatchObject({code, hint: 'find out with: bookctl reserve --resume R'})
    }
  })
})

describe('guests cause a warning', () => {
  test.each<[string, Guest[], RegExp | undefined]>([
    ['not, when they fit', [guest('1990-01-01'), guest('2023-01-01')], undefined],
    ['not, when a birthday falls within the stay', [guest('1990-01-01'), guest('2022-06-03')], undefined],
    ['when a child has another age', [guest('1990-01-01'), guest('2020-01-01')], /ages searched/],
    [
      'when a child was not searched',
      [guest('1990-01-01')],
      /searched for 2 guests; 1 is given: the service may refuse it/,
    ],
    [
      'when one of too many is not born yet',
      [guest('1990-01-01'), guest('2023-01-01'), guest('2030-06-02')],
      /2 guests; 3 are given.*\n.*born after/,
    ],
    ['when one is not born yet', [guest('1990-01-01'), guest('2030-06-02')], /born after/],
    [
      'when a TC number is wrong',
      [guest('1990-01-01', '10000000147'), guest('2023-01-01')],
      /^guests\[0\]\.identity\.number.*checksum/,
    ],
  ])('%s', (_, guests, expected) => {
    const doubts = findDoubts(SEEN, guests)
    if (expected) expect(doubts.join('\n')).toMatch(expected)
    else expect(doubts).toEqual([])
  })

  test.each([
    [
      '王',
      'Xiaoming',
      /guests\[0\]: 王 Xiaoming has letters that are not Latin: hotels read the Latin letters/,
    ],
    ['Ali', 'محمد', /not Latin/],
    ['👩\u200d👩\u200d👧', 'B', /contains symbols/],
    ['Ay5e', 'B', /contains digits/],
    ['Şükrüye Iğdır', 'Weiß-Ørsted', undefined],
    ["D'Arcy-O’Neill", 'Oʻahu Nguyễn Thị', undefined],
    ['e\u0301milie', 'Łódź ʼ', undefined],
  ])('for the name %s %s', (name, surname, expected) => {
    const doubts = findDoubts(undefined, [{...guest('1990-01-01'), name, surname}])
    if (expected) expect(doubts).toEqual([expect.stringMatching(expected)])
    else expect(doubts).toEqual([])
  })

  test('but not if the facts are unknown', () => {
    expect(findDoubts(undefined, [guest('1990-01-01')])).toEqual([])
  })
})

describe('what the account will be charged', () => {
  const details = {refundable: null, free_cancellation_until: null, terms: null, city: null}
  const charge = {amount: '486.00', currency: 'USD', rate: '1.08'}
  const stated = {...SEEN, details: {...details, charge}}
  const paying = (mode: 'account' | 'instant') => ({...REQUEST, payment: {mode}})
  /** Fails the test if the balance is read. */
  const unread = () => Promise.reject(new Error('the balance was read'))
  const account = (currency: string | null) => () => Promise.resolve({amount: '1.00', currency})

  test('is what the service said with the offer', async () => {
    const found = await chargeAhead({request: paying('account'), seen: stated}, unread)
    expect(found).toEqual({
      text: '486.00 USD at the rate 1.08',
      short: 'charged as 486.00 USD at the rate 1.08',
    })
  })

  test.each<[string, SeenOffer | undefined, 'account' | 'instant']>([
    [
      'the price itself',
      {...SEEN, details: {...details, charge: {amount: '450', currency: 'EUR', rate: '1'}}},
      'account',
    ],
    ['for an offer that the customer pays', stated, 'instant'],
    ['for an offer without a price', {...SEEN, total: null}, 'account'],
    ['for an offer that was not seen', undefined, 'account'],
  ])('is not told, and nothing asked: %s', async (_, seen, mode) => {
    expect(await chargeAhead({request: paying(mode), seen}, unread)).toBeUndefined()
  })

  test('is in the currency of the account, if the service states only that', async () => {
    const found = await chargeAhead({request: paying('account'), seen: SEEN}, account('USD'))
    expect(found).toEqual({
      text: 'in USD, the currency of the account, at a rate that the service decides',
      short: 'charged in USD',
    })
  })

  test.each([['EUR'], [null]])('is not told for an account in %s', async currency => {
    expect(await chargeAhead({request: paying('account'), seen: SEEN}, account(currency))).toBeUndefined()
    expect(await chargeAhead({request: paying('account'), seen: SEEN}, async () => undefined)).toBeUndefined()
  })
})
