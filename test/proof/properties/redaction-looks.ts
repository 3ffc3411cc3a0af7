/** Redaction by look: what looks like a secret goes, innocent text stays as it was, in time. */
import fc from 'fast-check'
import {createRedactor, redactText} from '../../../src/api/redact/redact.js'
import {must, property} from '../property.js'
import {around} from './redaction-values.js'

/** Nothing in them looks like a secret, a person's number or a link. */
const INNOCENT = [
  ...[
    'the offer off_1 costs 450.00 EUR',
    'RSV-0G1H2J3K4M',
    '2030-06-01',
    '2030-06-01T12:00:00+03:00',
    'check_in 2030-06-01 2030-06-04',
  ],
  ...[
    'from 2030-06-03 to 2030-06-07',
    'HTTP 409 price_changed',
    '0b9f2f4e-3f1a-4c52-9a53-0f4b8a0c7d11',
    'İstanbul Oteli 東京',
    'room for 2 adults: 7, 4',
  ],
  ...[
    'ECONNREFUSED 127.0.0.1:8080',
    'evt_01 whsub_1 cid_sandbox',
    '1.250,00 TRY',
    'limit 50, after 100',
    '{"check_in":"2030-06-01","total":"10.00"}',
  ],
  ...[
    '41.0082, 28.9784',
    '1700000000',
    '1700000000123',
    'sha256 of 12 bytes',
    'a=b&c=d',
    '50 % of the price',
    '--max-price 100',
    "it's [redacted]",
  ],
]

/** What the patterns look for, and might look for from each of its characters anew. */
const REPEATED = [
  'x',
  'a.',
  'a@',
  'a@b.',
  '-eyJ',
  'token',
  '&token=',
  '1 ',
  '2030-06-01 ',
  'https://',
  '"a":"',
  '"a\\\\',
  '%41',
  'Bearer ',
  ' ',
]

export const redactionByLook = [
  property(
    'redaction: what looks like a secret is taken out untold',
    fc.tuple(around, fc.stringMatching(/^(sk_live_|sk_test_|whsec_)[\w]{12,30}$/), around),
    ([before, look, after]) => {
      must(!redactText(`${before} ${look} ${after}`).includes(look), before, look, after)
    },
  ),
  property(
    'redaction: innocent text stays as it is',
    fc.array(fc.constantFrom(...INNOCENT), {minLength: 1, maxLength: 5}),
    texts => {
      const text = texts.join('; ')
      must(redactText(text) === text, text, redactText(text))
      const json = {
        message: text,
        list: texts,
        offers: [{offer_id: 'off_1', price: {total: '10.00', currency: 'EUR'}}],
      }
      must(
        JSON.stringify(createRedactor().json(json)) === JSON.stringify(json),
        JSON.stringify(createRedactor().json(json)),
      )
    },
    {examples: INNOCENT.map(text => [text])},
  ),
  property(
    'redaction: the time it takes grows with the text, whatever is repeated in it',
    fc.tuple(
      fc.oneof(fc.constantFrom(...REPEATED), fc.stringMatching(/^[\w@.:/&?=" \\-]{1,6}$/)),
      fc.constantFrom('', 'a', '"', '@'),
    ),
    ([piece, end]) => {
      const text = piece.repeat(60_000 / piece.length) + end
      must(redactText(text).length >= 0)
    },
    {weight: 40, examples: REPEATED.map((piece): [string, ''] => [piece, ''])},
  ),
]
