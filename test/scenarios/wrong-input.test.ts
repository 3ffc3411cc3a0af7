/** Wrong input is refused with exit 2 and the name of the field, before any request. */
import {describe, expect, test} from 'vitest'
import {CONTACT, GUESTS} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()

const search = (...change: string[]) => [
  ...'hotels search --currency EUR --nationality TR --city 101 --nights 3 --check-in 2030-06-01'.split(' '),
  ...change,
]
const reserve = (...change: string[]) => ['reserve', 'off_1', '--nationality', 'TR', ...GUESTS, ...change]

test.each<[string, string[], string?]>([
  ['--max-price', search('--max-price', '1,5')],
  ['base URL', search('--base-url', 'http://example.com/v1')],
  ['--pay', reserve()],
  ['--idempotency-key', reserve('--pay', 'account', '--idempotency-key', '1')],
  ['--max-price', reserve('--pay', 'account', '--max-price', '500')],
  ['line 1, column 3', ['reserve', '--input', '-'], '{ broken'],
  ['REF', ['voucher', 'download', '../../etc/passwd']],
  ['--wait', ['voucher', 'download', 'R1', '--wait=-1']],
  ['missing: ', ['webhooks', 'update', 'whsub_1']],
  // Reported before the secret, which is missing too.
  ['cannot read nofile.http (no such file)', ['webhooks', 'verify', 'nofile.http']],
  ['invalid profile name', ['account', '--profile', 'a/b']],
  ['one unexpected argument', ['account', 'sk-not-quite-a-secret']],
])('%s: %j', async (field, argv, stdin) => {
  const plain = await home.run(argv, {stdin: stdin ?? ''})
  const refused = await home.refusal(argv, {stdin: stdin ?? ''})
  expect(plain).toMatchObject({exit: 2, stdout: '', stderr: expect.stringContaining(field)})
  expect(refused).toMatchObject({exit: 2, message: expect.stringContaining(field)})
  expect(JSON.stringify(refused)).not.toContain('sk-not-quite')
  expect(service.received).toEqual([])
})

const REQUEST = {
  client_nationality: 'TR',
  contact: CONTACT,
  guests: [{name: 'A', surname: 'B'}],
  payment: {mode: 'account'},
}
const RESERVE = ['reserve', 'off_1', '--input', '-', '--yes']
const OFFER = 'offer_id: must be an offer id (off_…), not'
const REF = 'REF: must be a reservation reference: letters, digits, _ . : and -, up to 64, not'
const SUBSCRIPTION = 'ID: must be a subscription id (whsub_…), not'
const REFERENCE = 'must be a client reference: 1 to 128 visible characters without spaces, not'

test.each<[string, string[], object?]>([
  [`${OFFER} "nope"`, ['reserve', 'nope', '--input', '-', '--yes'], REQUEST],
  [`${OFFER} "nope"`, ['reserve', '--input', '-', '--yes'], {...REQUEST, offer_id: 'nope'}],
  [`${OFFER} ""`, ['reserve', '', '--input', '-', '--yes'], REQUEST],
  [`client_reference_id: ${REFERENCE} "null"`, [...RESERVE, '--client-reference', 'null'], REQUEST],
  [`client_reference_id: ${REFERENCE} "null"`, RESERVE, {...REQUEST, client_reference_id: 'null'}],
  [`--resume: ${REFERENCE} ""`, ['reserve', '--resume', '']],
  [`REFERENCE: ${REFERENCE} "null"`, ['journal', 'forget', 'null', '--yes']],
  ['OFFER_ID: must be an offer id (off_…), not "nope"', ['hotels', 'price', 'nope']],
  ['HOTEL_ID: must be', ['hotels', 'show', 'null']],
  [`--client-reference: ${REFERENCE} "None"`, ['reservations', 'list', '--client-reference', 'None']],
  ['--after: must have a value, not "null"', ['reservations', 'list', '--after', 'null']],
  [`${REF} "null"`, ['reservations', 'show', 'null']],
  [`${REF} ""`, ['reservations', 'update', '', '--contact', 'email=a@example.com']],
  [`${SUBSCRIPTION} "nope"`, ['webhooks', 'test', 'nope']],
  ['EVENT_ID: must be an event id (evt_…), not "null"', ['webhooks', 'events', 'show', 'null']],
  ['--id: must be an event id', ['webhooks', 'events', 'export', '--id', 'null']],
  ['--event-id: must have a value, not "null"', ['webhooks', 'verify', '-', '--event-id', 'null']],
  ['--redeliver: must be a delivery id (dlv_…)', ['sandbox', 'deliveries', '--redeliver', 'null']],
  ['missing: contact.email', RESERVE, {...REQUEST, contact: {...CONTACT, email: ''}}],
  [
    'check-out: must be at most 365 nights after the check-in; 2126-11-24 to 2130-06-01 is 1,285 nights',
    ['hotels', 'search', '--check-in', '24.11.2126', '--check-out', '01.06.2130'],
  ],
  [
    'guests[0].name: must not contain invisible characters',
    [...RESERVE, '--pay', 'account', '--guest', 'name=A\u202eB,surname=C'],
    REQUEST,
  ],
  ['contact.email: must be an e-mail address', RESERVE, {...REQUEST, contact: {...CONTACT, email: 'a@'}}],
])('what cannot be what it should be is neither written down nor sent: %s', async (message, argv, input) => {
  const options = {stdin: input === undefined ? '' : JSON.stringify(input)}
  const plain = await home.run(argv, options)
  const {exit, code, ...refused} = await home.refusal(argv, options)
  expect([plain.exit, plain.stdout, exit]).toEqual([2, '', 2])
  expect(code).toBe(message.startsWith('missing') ? 'missing_flag' : 'invalid_input')
  expect(plain.stderr).toContain(message)
  expect(refused.message).toContain(message)
  const accident = /(null|undefined|None)"$/.exec(refused.message)?.[1]
  if (accident) expect(refused.hint).toMatch(new RegExp(`^${accident} means a missing value`))
  if (message === `${OFFER} "nope"`)
    expect(refused.hint).toBe('list offers with their ids: bookctl hotels search')
  if (/, not ""$/.test(refused.message)) expect(refused.hint).toMatch(/^the value is empty/)
  expect(service.received).toEqual([])
  expect((await home.json<{entries: unknown[]}>(['journal'])).result.entries).toEqual([])
})

test('quotes around an identifier are pointed out, and a secret in its place is not shown', async () => {
  const quoted = await home.refusal(['hotels', 'price', '"off_1"'])
  expect(quoted).toMatchObject({exit: 2, hint: 'remove the quotes: jq -r prints none'})
  const stdin = JSON.stringify({...REQUEST, offer_id: 'sk_test_abc'})
  const secret = await home.refusal(['reserve', '--input', '-'], {stdin})
  expect(secret).toMatchObject({exit: 2, stderr: ''})
  expect(secret.message).toMatch(/offer_id: must be an offer id(?!.*abc)/)
})

test.each([
  [reserve('--pay', 'account')],
  [['reservations', 'update', 'R-1', '--contact', 'name=A']],
  [['api', 'DELETE', '/x']],
])('a live service is not changed without a terminal or --yes: %j', async argv => {
  const env = {BOOKCTL_BASE_URL: 'https://live.invalid/v1', BOOKCTL_CLIENT_SECRET: 'sk_live_x'}
  const {stderr, ...refused} = await home.refusal(argv, {env})
  expect(refused).toMatchObject({exit: 2, code: 'confirmation_needed'})
  expect(refused.hint).toContain('--yes')
  expect(stderr).toContain('LIVE')
})

describe('one run names everything that is wrong', () => {
  const everything: [line: string, parts: string[]][] = [
    [
      'hotels search 101 --check-in tomorow --nationality Narnia --nigths 3',
      [
        '--check-in: ',
        '--nationality: ',
        'unknown flag --nigths (did you mean --nights?)',
        'missing: --check-out or --nights, --currency',
      ],
    ],
    [
      'hotels search --city --check-in 2020-01-01 --sort x --columns colour',
      [
        '--city expects a value',
        '--check-in: must not be in the past',
        '--sort must',
        'unknown column colour',
      ],
    ],
    [
      'hotels search --city Dubai --check-in 2.6.2030 --check-out 1.6.2030',
      ['--check-out: must be after', 'missing: --nationality, --currency'],
    ],
    ['api GTE /account --data { --header x', ['METHOD: ', '--data: ', '--header: ']],
    [
      'tours search --date 2020-01-01 --max-price x',
      ['--date: must not be in the past', '--max-price: ', 'missing: --city, --currency'],
    ],
    [
      'reserve nope --guest nmae=A --nationality Narnia --contact name=A,email=b --wait=x',
      [
        '--wait: ',
        'there is no field nmae',
        '--nationality: ',
        'offer_id: must be',
        'contact.email: must be',
        'missing: --pay, contact.surname, contact.phone_country_code, contact.phone_number',
      ],
    ],
    [
      'reserve off_1 --pay account --contact name=A,x,name=B,email=b,phone=123 --guest name=A,is_lead=q,nationality=de,birth_date=1790-01-01 --guest nmae=C,surname=D',
      [
        '--contact: must be NAME=VALUE',
        '--contact: name is given twice',
        '--contact phone: ',
        'contact.email: must be',
        '--guest is_lead: ',
        'guests[0].birth_date: must not',
        'there is no field nmae',
        'missing: contact.surname, guests[0].surname',
      ],
    ],
    [
      'reservations update R1 --contact email=b,phone=123 --guest name=A,birth_date=x',
      ['--contact phone: ', 'contact.email: must be', '--guest birth_date: ', 'missing: guests[0].surname'],
    ],
  ]
  test.each(everything)('%s', async (line, parts) => {
    const {exit, stderr} = await home.run(line.split(' '))
    expect(exit).toBe(2)
    for (const part of parts) expect(stderr).toContain(part)
    // A value that is wrong is not reported as missing.
    expect(stderr).not.toMatch(/missing: [^;]*--(check-in|date|guest|contact)\b/)
    expect(service.received).toEqual([])
  })

  test.each([
    ['--guest nme=A,surname=B --contact nam=A,phone=12', undefined],
    ['', {guests: [{nme: 'A', surname: 'B'}], contact: {nam: 'A', surname: 'C', foo: 'x'}}],
  ])(
    'each hint is beside its own message, and a mistyped field is reported once: %j %j',
    async (flags, input) => {
      const words = `reserve off_1 --pay account ${input ? '--input -' : flags}`.split(' ')
      const {message, hint} = await home.refusal(words, {stdin: JSON.stringify(input)})
      const parts = message.split('; ')
      for (const name of ['nme', 'nam'])
        expect(parts.filter(part => new RegExp(`\\b${name}\\b`).test(part))).toEqual([
          expect.stringMatching(/there is no .*field.* \(did you mean name\?\)$/),
        ])
      expect(message.match(/did you mean/g)).toHaveLength(2)
      expect(message).toMatch(/missing: contact\.(?![^;]*\bname\b)/)
      expect(hint).not.toContain('did you mean')
      if (input) expect(message).toMatch(/contact\.foo: there is no such field in a reservation(;|$)/)
      else expect(message).toMatch(/--contact phone: [^()]*532 123 45 67;/)
    },
  )

  test('a variable is named too', async () => {
    const env = {BOOKCTL_NATIONALITY: 'Narnia'}
    const {exit, stderr} = await home.run(['hotels', 'search', '--city', '1'], {env})
    expect(exit).toBe(2)
    expect(stderr).toContain('BOOKCTL_NATIONALITY: must be a country')
    expect(stderr).toContain('missing: --check-in, --check-out or --nights, --currency')
  })
})

test.each([
  [['hotels', 'search', '101'], 'did you mean --city 101?'],
  [['hotels', 'search', 'New', 'York'], 'did you mean --city "New York"?'],
  [['tours', 'search', 'Dubai', '--currency', 'EUR'], 'did you mean --city Dubai?'],
  [['hotels', 'search', 'sk-not/quite'], 'did you mean --city …?'],
  [['hotels', 'search', '--adults', '2'], 'did you mean --room 2?'],
  [['hotels', 'search', '--children=1'], 'did you mean --room 2:7,4?'],
  [['reserve', '--reference', 'X'], 'did you mean --client-reference?'],
  [
    ['reserve'],
    'fill in what bookctl reserve --template prints and pass it with --input FILE; at a terminal, bookctl reserve asks',
  ],
])('%j says which flag was meant', async (argv, hint) => {
  const refused = await home.refusal(argv)
  expect(refused).toMatchObject({exit: 2, hint})
  expect(JSON.stringify(refused)).not.toContain('sk-not')
})

test('--resume without its value names nothing that only a new reservation needs', async () => {
  const {exit, stderr} = await home.run(['reserve', '--resume'])
  expect(exit).toBe(2)
  expect(stderr).toContain('--resume expects a value')
  expect(stderr).not.toContain('missing')
})
