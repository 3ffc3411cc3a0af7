/** What is taken out of what is shown of requests, name by name and look by look, and what stays to be read. */
import {describe, expect, test} from 'vitest'
import {identityNumbersIn, peopleIn} from '../../src/api/redact/people-in.js'
import {createRedactor, isOperation, redactText} from '../../src/api/redact/redact.js'

const GONE = '[redacted]'
const {text, json, url, header} = createRedactor()

describe('a header', () => {
  test.each([
    ...[
      'Authorization',
      'Proxy-Authorization',
      'X-Authorization',
      'WWW-Authenticate',
      'Cookie',
      'Set-Cookie',
    ],
    ...['X-Token', 'Client-Secret', 'X-Api-Key', 'X-Apikey', 'X-Service-Signature'],
  ])('%s is taken out', name => {
    expect(header(name, 'plain')).toBe(GONE)
    expect(header(name.toLowerCase(), 'plain')).toBe(GONE)
  })

  test.each(['Content-Type', 'Idempotency-Key', 'X-Request-Id', 'Date'])('%s stays', name => {
    expect(header(name, 'plain')).toBe('plain')
    expect(header(name, 'to a@b.example')).toBe(`to ${GONE}`)
  })
})

describe('a field', () => {
  test.each([
    ...[
      'token',
      'access_token',
      'accessToken',
      'client_secret',
      'Password',
      'passwd',
      'passphrase',
      'cookie',
    ],
    ...['authorization', 'cookies', 'credential', 'credentials', 'x_signature', 'signature', 'secret'],
    ...['api_key', 'apiKey', 'private_key', 'access_key', 'my_access_key'],
    ...[
      'identity',
      'identities',
      'identity_no',
      'legal_identity',
      'passport',
      'passport_no',
      'guest_passport',
    ],
    ...['tc', 'tc_number', 'document', 'document_id', 'national_id', 'card', 'card_number', 'cardNo'],
    ...['email', 'e_mail', 'eMail', 'email_address', 'contact_email', 'phone', 'phone_number', 'guestPhone'],
    ...[
      'mobile',
      'mobile_phone',
      'phones',
      'emails',
      'telephone',
      'phone_1',
      'credit_card',
      'travel_document',
    ],
    ...['birth_date', 'birthdate', 'birthday', 'date_of_birth', 'dob', 'surname'],
    ...['first_name', 'last_name', 'full_name', 'guest_name', 'family_name', 'given_name', 'holder_name'],
    ...['lead_surname'],
  ])('%s is taken out, whatever stands under it', name => {
    for (const value of ['plain', 5, true, ['plain'], {a: 'plain'}])
      expect(json({[name]: value})).toEqual({[name]: GONE})
    expect(json({[name]: null})).toEqual({[name]: null})
    expect(text(`{"${name}":"plain"`)).toBe(`{"${name}":"${GONE}"`)
  })

  test.each([
    ...['token_type', 'secret_count', 'api_key_id', 'signature_algorithm', 'mytoken', 'keys'],
    ...['card_type', 'document_type', 'tc_kind', 'etc', 'postcard', 'passports_needed'],
    ...['mailing', 'microphone', 'automobiles', 'surname_length', 'dob_format', 'name', 'hotel_name'],
    ...['identity_type', 'mobile_rate', 'is_mobile_rate', 'rate_card', 'hotel_document', 'min_identity_age'],
    ...[
      'email_template',
      'mobile_app_only',
      'has_email',
      'phone_required',
      'business_card',
      'hotel_document_id',
    ],
    ...['offer_id', 'status', 'currency', 'max_guests', 'guests_allowed', 'nationality'],
  ])('%s stays', name => {
    expect(json({[name]: 'plain'})).toEqual({[name]: 'plain'})
    expect(json({[name]: 5})).toEqual({[name]: 5})
    expect(text(`{"${name}":"plain"`)).toBe(`{"${name}":"plain"`)
    expect(text(`{"${name}":5`)).toBe(`{"${name}":5`)
  })

  test('whose name is a secret is taken out itself', () => {
    expect(json({'a@b.example': 1, 'sk_test_x Token': 5})).toEqual({[GONE]: 1, [`${GONE} Token`]: GONE})
  })
})

describe('of a person', () => {
  test.each([
    ...['contact', 'contacts', 'guest', 'guests', 'lead_guest', 'holder', 'holders', 'customer', 'customers'],
    ...[
      'passenger',
      'passengers',
      'traveller',
      'travellers',
      'traveler',
      'travelers',
      'pax',
      'paxes',
      'leadGuest',
    ],
  ])('under %s only what is harmless stays', name => {
    const person = {
      ...{type: 'ADULT', is_lead: true, gender: 'MALE', name: 'Zed', age: 40, room_type: 'x', type_note: 'y'},
      ...{rooms: [['z']], nothing: null},
    }
    const shown = {
      ...{
        type: 'ADULT',
        is_lead: true,
        gender: 'MALE',
        name: GONE,
        age: GONE,
        room_type: GONE,
        type_note: GONE,
      },
      ...{rooms: [[GONE]], nothing: null},
    }
    expect(json({[name]: [person]})).toEqual({[name]: [shown]})
    expect(json({a: {[name]: person}, hotel: {name: 'Pera'}})).toEqual({
      a: {[name]: shown},
      hotel: {name: 'Pera'},
    })
  })

  test('what is harmless of people may still hold a secret', () => {
    expect(json({guest: {type: 'ADULT a@b.example', gender: {deep: 'shown'}}})).toEqual({
      guest: {type: `ADULT ${GONE}`, gender: {deep: 'shown'}},
    })
  })

  test('all values are known that must not turn up elsewhere', () => {
    expect(
      peopleIn({
        offer_id: 'off_1',
        guests: [
          {
            type: 'ADULT',
            name: 'Zed',
            surname: 'Öz',
            gender: 'MALE',
            is_lead: 'x',
            nationality: 'TR',
            age: 5,
          },
        ],
        contact: {email: 'a@b.example', phone_country_code: '+90', phone_number: '532', my_nationality: 'm'},
        phone: {area: '212'},
        identity: {type: 'TC', number: '1'},
        legal_identities: ['2'],
        more: [['not'], {email: ['deep']}],
        nationality_note: 'not',
        phone_country_codes: 'code',
      }),
    ).toEqual(['Zed', 'Öz', 'a@b.example', '532', 'm', '212', '1', '2', 'deep', 'code'])
    for (const value of [null, 5, 'text', undefined]) expect(peopleIn(value)).toEqual([])
  })

  test('so are the numbers of their documents', () => {
    expect(
      identityNumbersIn({
        guests: [
          {
            name: 'Zed',
            identity: {type: 'TC', number: '1', country: 'TR', country_code: 'TR', nationality: 'TR'},
          },
        ],
        passport: 2,
        identities: [{number: '3', issuing_country: 'TR', type_name: '4'}],
        identity: true,
        other: ['5', 6],
      }),
    ).toEqual(['1', '2', '3', '4'])
    for (const value of [null, 5, 'text', undefined]) expect(identityNumbersIn(value)).toEqual([])
  })
})

describe('a link', () => {
  test('of a voucher or a payment keeps its origin, and one that is none nothing', () => {
    const link = 'https://h.example/secret?x=1'
    const origin = `https://h.example/${GONE}`
    for (const name of [
      'voucher',
      'vouchers',
      'voucher_url',
      'voucher_link',
      'payment',
      'payment_url',
      'paymentLink',
    ]) {
      expect(json({[name]: link})).toEqual({[name]: origin})
      expect(json({[name]: 'opaque'})).toEqual({[name]: GONE})
    }
    for (const field of ['url', 'link', 'href', 'pay_url', 'deep_link'])
      expect(json({payment: {more: [{[field]: 'opaque'}]}, voucher: {[field]: link}})).toEqual({
        payment: {more: [{[field]: GONE}]},
        voucher: {[field]: origin},
      })
    const kept = {
      ...{voucher_code: 'V1', no_voucher: 'V2', prepayment: 'V3', url: 'relative', nested: {url: 'relative'}},
      payment: {mode: 'account', curl: 'x', url_text: 'y', links: 'z', url: null, link: {href: 5}},
    }
    expect(json(kept)).toEqual(kept)
    expect(json({voucher: {url: [link]}})).toEqual({voucher: {url: [origin]}})
  })

  test('in a text keeps its origin', () => {
    expect(text('see http://h.example/a/b?c=d and HTTPS://i.example:8443/e, or "https://j.example/f".')).toBe(
      `see http://h.example/${GONE} and https://i.example:8443/${GONE}, or "https://j.example/${GONE}".`,
    )
    expect(text("<https://h.example/a>'https://h.example/b'")).toBe(
      `<https://h.example/${GONE}>'https://h.example/${GONE}'`,
    )
    expect(text('http://[ is none')).toBe(`${GONE} is none`)
  })

  test('of an operation keeps its path and the names of its parameters', () => {
    expect(url('https://h.example/v1/account', true)).toBe('https://h.example/v1/account')
    expect(url('https://u:p@h.example/v1/a?b=1&c%20d=2&b=3#e', true)).toBe(
      `https://h.example/v1/a?b=${GONE}&c%20d=${GONE}&b=${GONE}`,
    )
    expect(url('https://h.example/v1/account', false)).toBe(`https://h.example/${GONE}`)
    for (const odd of ['ftp://h.example/', 'view-source:https://h.example/', 'http://[', '/v1/account', ''])
      expect(url(odd, true), odd).toBe(GONE)
    const told = createRedactor()
    told.add('RSV-SECRET')
    expect(told.url('https://h.example/v1/RSV-SECRET/x', true)).toBe(`https://h.example/v1/${GONE}/x`)
  })

  test('is an operation with a bearer token, or when it is of OAuth', () => {
    const request = (address: string, headers = {}) => ({method: 'GET', url: address, headers})
    expect(isOperation(request('https://h.example/x', {authorization: 'Bearer x'}))).toBe(true)
    expect(isOperation(request('https://h.example/v1/oauth/token'))).toBe(true)
    expect(isOperation(request('https://h.example/v1/oauth/revoke'))).toBe(true)
    for (const path of ['/x', '/oauth/tokens', '/oauth/token/x', '/oauth/revoke?x', '/xoauth-token'])
      expect(isOperation(request(`https://h.example${path}`)), path).toBe(false)
  })
})

describe('by its look', () => {
  test.each([
    ...['sk_live_aB9+/=.~-_', 'sk_test_x', 'whsec_x'],
    ...['Bearer abcd', 'bearer  a+b/c=d.e~f-g_h', 'BASIC\tdXNlcjpwdw=='],
    ...['eyJhbGci-_.eyJz-_9.sig-_', 'eyJhbGci.eyJz', 'eyJhbGci.eyJz.'],
    ...['first.last+tag-1@mail-host.example.co.uk', 'a@b.c', 'ü@münchen.example'],
  ])('%s', secret => {
    expect(text(`(${secret}) and (${secret})!`)).toBe(`(${GONE}) and (${GONE})!`)
    expect(redactText(secret)).toBe(GONE)
  })

  test.each([
    'sk_prod_x',
    'whsec',
    'Bearer abc',
    'Bearerabcd',
    'eyJabcd.x',
    'eyJhbGci',
    'a@b',
    '@b.c',
    'Stryker was here',
  ])('not %s', harmless => {
    expect(text(`(${harmless})`)).toBe(`(${harmless})`)
  })

  test.each(['token', 'sig', 'signature', 'secret', 'key', 'expires', 'credential', 'code', 'auth', 'Token'])(
    'the value of the parameter %s',
    name => {
      for (const full of [name, `x-my_${name}`, `${name}-of_x`, `x${name}x`])
        for (const before of ['?', '&', ';'])
          for (const after of ['', ' x', '&lang=tr', '"', "'", '<', '>'])
            expect(text(`/v${before}${full}=abc%2F.1;${after}`)).toBe(`/v${before}${full}=${GONE}${after}`)
    },
  )

  test('not that of other parameters, nor what only looks like one', () => {
    for (const harmless of ['/v?lang=tr&page=2', 'token=abc', 'x?a token=abc', '?to.ken=abc'])
      expect(text(harmless)).toBe(harmless)
  })

  test.each([
    ...['30569309025904', '371449635398431', '4012888888881881', '5555555555554444', '6011111111111117'],
    ...['2223003122003222', '3566 0020 2036 0505', '4012-8888-8888-1881', '4000000000000000006'],
    ...['10000000146', '100 000 001-46', '+905321234567', '+1234567890', '+123456789012345'],
  ])('%s is the number of a card, a person or a telephone', number => {
    expect(text(`at ${number}.`)).toBe(`at ${GONE}.`)
  })

  test.each([
    ...['4222222222222', '9999999999999995', '7992739871300000', '1234567812345670', '4012888888881882'],
    ...['371449635398432', '10000000145', '+12345678', '+1234567890123456', 'x10000000146', '1.10000000146'],
    ...['10000000146x', '-10000000146', 'a+905321234567', '1+905321234567', '++905321234567'],
  ])('%s is none', number => {
    expect(text(`at ${number}.`)).toBe(`at ${number}.`)
  })
})

describe('under its name in text that is no whole document', () => {
  test.each([
    [String.raw`{"password":"a\"b","x":"y"`, `{"password":"${GONE}","x":"y"`],
    ['{"password" : "a\\\nb\\ c" , "x":"y"', `{"password" : "${GONE}" , "x":"y"`],
    [String.raw`"note":"{\"password\":\"abc\",\"x\":\"y\"}"`, String.raw`"note":"{\"password\":\"${GONE}"`],
    ['"password":""', `"password":"${GONE}"`],
    ['"password":"cut', `"password":"${GONE}`],
    ['"password":5,"x":1', `"password":${GONE},"x":1`],
    ['"password" : -12.5}', `"password" : ${GONE}}`],
    ['"password":-,"x":1', '"password":-,"x":1'],
    ['"card":{"a":[1,{"b":2}],"c":"d"},"x":1', `"card":${GONE},"x":1`],
    ['"card":[{"a":1},"b"],"token":6', `"card":${GONE},"token":${GONE}`],
    ['"card":{"password":5},"x":{"token":["y"],"z":7}', `"card":${GONE},"x":{"token":${GONE},"z":7}`],
    ['"x":{"y":1},"card":[]', `"x":{"y":1},"card":${GONE}`],
    ['"card":{"cut":[1', `"card":${GONE}`],
    ['"card":true,"x":[1]', '"card":true,"x":[1]'],
    ['"card":],"x":[1]', '"card":],"x":[1]'],
    ['"card":', '"card":'],
    [`"card":${GONE},"x":[1]`, `"card":${GONE},"x":[1]`],
    [String.raw`{\"card\":5,\"x\":1}`, String.raw`{\"card\":${GONE},\"x\":1}`],
    ['"url":"/v/opaque","x":1', `"url":"${GONE}","x":1`],
    [String.raw`"pay_url":"\/v"`, `"pay_url":"${GONE}"`],
    [String.raw`"url":"a\/v"`, String.raw`"url":"a\/v"`],
    ['"path":"/v/opaque"', '"path":"/v/opaque"'],
    ['password":"x"', 'password":"x"'],
    ['"pass word":"x"', '"pass word":"x"'],
  ])('%s', (before, after) => {
    expect(text(before)).toBe(after)
  })

  test('four strings deep, and what lies deeper is taken out', () => {
    const within = (depth: number, inner: string): string =>
      depth === 0 ? inner : JSON.stringify({a: within(depth - 1, inner)})
    expect(text(`x ${within(4, 'plain')}`)).toContain('plain')
    expect(text(`x ${within(5, 'plain')}`)).not.toContain('plain')
    expect(text(`x ${within(5, 'plain')}`)).toContain(GONE)
  })
})

describe('a document', () => {
  const nested = (depth: number, inner: unknown): unknown =>
    depth === 0 ? inner : [nested(depth - 1, inner)]
  const nestedObjects = (depth: number, inner: unknown): unknown =>
    depth === 0 ? inner : {a: nestedObjects(depth - 1, inner)}

  test('is walked sixty deep, and no deeper', () => {
    expect(json(nested(60, 'x'))).toEqual(nested(60, 'x'))
    expect(json(nested(61, 'x'))).toEqual(nested(61, GONE))
    expect(json(nestedObjects(61, 'x'))).toEqual(nestedObjects(61, GONE))
    expect(json(nested(2000, 'x'))).toEqual(nested(61, GONE))
    for (const nest of [nested, nestedObjects]) {
      expect(peopleIn({guest: nest(59, 'x')})).toEqual(['x'])
      expect(peopleIn({guest: nest(60, 'x')})).toEqual([])
      expect(identityNumbersIn({passport: nest(59, 'x')})).toEqual(['x'])
      expect(identityNumbersIn({passport: nest(60, 'x')})).toEqual([])
    }
  })

  test('in a string is walked as well', () => {
    expect(json({a: ' {"guests":[{"name":"Zed"}]}', b: '[{"guest":{"name":"Zed"}}]'})).toEqual({
      a: `{"guests":[{"name":"${GONE}"}]}`,
      b: `[{"guest":{"name":"${GONE}"}}]`,
    })
    for (const harmless of ['[not JSON', '{"cut":', '012', '1e5', String.raw`"\u0061["`, ''])
      expect(json({a: harmless})).toEqual({a: harmless})
    expect(json(JSON.stringify(nested(60, 'x')))).toBe(JSON.stringify(nested(60, GONE)))
  })

  test('keeps what is no text, but for numbers that tell of a person', () => {
    const kept = {a: null, b: true, c: 5, d: [1.5, false]}
    expect(json(kept)).toEqual(kept)
    expect(json([10000000146, undefined])).toEqual([GONE, undefined])
  })
})

describe('a secret told by hand', () => {
  test('is taken out from three characters on', () => {
    const told = createRedactor()
    told.add('ab')
    told.add('xyz')
    expect(told.text('cab xyz vwxyz')).toBe(`cab ${GONE} vwxyz`)
  })

  test.each([
    [['abcd', 'abcdefgh', 'abcdef']],
    [['abcdefgh', 'abcdef', 'abcd']],
    [['abcdef', 'abcd', 'abcdefgh']],
  ])('of which it is part goes as a whole: %j', secrets => {
    const told = createRedactor()
    for (const secret of secrets) told.add(secret)
    expect(told.text('-abcdefgh-')).toBe(`-${GONE}-`)
    expect(told.text('-abcdef-')).toBe(`-${GONE}-`)
  })

  test('percent-encoded in an unusual way goes with the rest of its word', () => {
    const told = createRedactor()
    told.add('tök')
    expect(told.text('x %74%c3%b6%6b y')).toBe(`x ${GONE} y`)
    expect(told.text('x t%C3%B6%6B y%20z')).toBe(`x ${GONE} y%20z`)
    expect(told.text('%ff%74%c3%b6%6b y')).toBe(`${GONE} y`)
    expect(told.text('%20%74%c3%b6%6b%20 y')).toBe(`${GONE} y`)
    for (const harmless of ['x%20y', '100%', '%ff%74', '%7a%c3%b6%6b'])
      expect(told.text(harmless)).toBe(harmless)
  })
})

test('what follows a link in a sentence is not of the link', () => {
  const {text} = createRedactor()
  expect(text('a redirect (301) to http://127.0.0.1:8080, which is never followed')).toBe(
    'a redirect (301) to http://127.0.0.1:8080/[redacted], which is never followed',
  )
  expect(text('see (https://a.example/vouchers/abc?t=1). And http://[::1]:80/x!')).toBe(
    'see (https://a.example/[redacted]). And http://[::1]/[redacted]!',
  )
})
