/** Every word that makes a name innocent, and names that only look as if it did. */
import {expect, test} from 'vitest'
import {isIdentityName, isTelling} from '../../src/api/redact/telling-names.js'

test.each([
  ...['rate', 'rates', 'price', 'prices', 'fee', 'fees', 'discount', 'discounts', 'age', 'ages', 'template'],
  ...[
    'templates',
    'subject',
    'subjects',
    'language',
    'languages',
    'type',
    'types',
    'format',
    'formats',
    'length',
  ],
  ...['lengths', 'count', 'counts', 'limit', 'limits', 'policy', 'policies', 'required', 'allowed', 'needed'],
  ...[
    'supported',
    'enabled',
    'verified',
    'only',
    'friendly',
    'app',
    'apps',
    'deal',
    'deals',
    'offer',
    'offers',
  ],
  ...['site', 'sites', 'version'],
])('what ends with %s is that', word => {
  for (const name of [`mobile_${word}`, `email_${word}`, `min_identity_${word}`])
    expect(isTelling(name), name).toBe(false)
  for (const name of [`mobile_${word}_x`, `mobile_x${word}`]) expect(isTelling(name), name).toBe(true)
})

test.each(['is', 'has', 'min', 'max', 'requires', 'needs', 'allows', 'supports'])(
  '%s asks, or bounds',
  word => {
    expect(isTelling(`${word}_mobile`)).toBe(false)
    expect(isTelling(`x${word}_mobile`)).toBe(true)
    expect(isTelling(`${word}x_mobile`)).toBe(true)
  },
)

test.each([
  ...[
    'rate',
    'price',
    'score',
    'report',
    'hotel',
    'property',
    'room',
    'tour',
    'menu',
    'business',
    'gift',
    'boarding',
  ],
  ...['policy', 'terms', 'legal', 'tax', 'voucher'],
])('a card or document of a %s is nobody’s, its number may be', word => {
  for (const name of [`${word}_card`, `${word}_document`, `my_${word}_card_id`])
    expect(isIdentityName(name)).toBe(false)
  for (const name of [`${word}_card_number`, `x${word}_card`, `${word}_passport`])
    expect(isIdentityName(name)).toBe(true)
})

test.each([
  'mobile',
  'mobiles',
  'phone',
  'phones',
  'telephone',
  'telephones',
  'email',
  'emails',
  'e_mail',
  'e_mails',
])('%s is telling', name => expect(isTelling(name)).toBe(true))
