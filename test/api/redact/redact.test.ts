/**
 * What the redactor removes from the output about requests, and what it leaves readable. test/proof/fuzz/redaction.ts tests its
 * properties for all values.
 */
import {describe, expect, test} from 'vitest'
import {
  createRedactor,
  identityNumbersIn,
  isOperation,
  peopleIn,
  redactText,
} from '../../../src/api/redact/redact.js'

const GONE = '[redacted]'
const {text, json, url, header} = createRedactor()
const words = (text: string) => text.trim().split(/\s+/)

describe('a header', () => {
  test.each(
    words(`Authorization Proxy-Authorization X-Authorization WWW-Authenticate Cookie Set-Cookie X-Token Client-Secret
    X-Api-Key X-Apikey X-Service-Signature`),
  )('%s is redacted', name => {
    expect(header(name, 'plain')).toBe(GONE)
    expect(header(name.toLowerCase(), 'plain')).toBe(GONE)
  })

  test.each(['Content-Type', 'Idempotency-Key', 'X-Request-Id', 'Date'])('%s stays', name => {
    expect(header(name, 'plain')).toBe('plain')
    expect(header(name, 'to a@b.example')).toBe(`to ${GONE}`)
  })
})

describe('a field', () => {
  test.each(
    words(`token access_token accessToken client_secret Password passwd passphrase cookie authorization credentials
    x_signature secret api_key apiKey private_key access_key identity identities identity_number passport passport_no
    passportNumber guest_passport tc tc_number document document_id national_id card card_number cardNo credit_card
    travel_document email e_mail eMail email_address contact_email phone phone_number guestPhone mobile mobile_phone
    phones emails telephone phone_1 birth_date birthdate birthday date_of_birth dob surname first_name last_name
    full_name guest_name family_name given_name holder_name lead_surname`),
  )('%s is redacted, whatever its value', name => {
    for (const value of ['plain', 5, ['plain'], {a: 'plain'}]) {
      expect(json({[name]: value})).toEqual({[name]: GONE})
      const cut = JSON.stringify({x: 1, [name]: value}).slice(0, -1)
      expect(text(cut)).toBe(`{"x":1,"${name}":${GONE}`)
      expect(text(JSON.stringify({body: cut}).slice(0, -2))).not.toContain('plain')
    }
    for (const value of [null, true]) expect(json({[name]: value})).toEqual({[name]: value})
  })

  test.each(
    words(`token_type secret_count api_key_id signature_algorithm mytoken keys card_type document_type etc postcard
    mailing microphone automobiles surname_length dob_format name hotel_name identity_type mobile_rate is_mobile_rate
    rate_card hotel_document min_identity_age email_template phone_required business_card offer_id status currency
    max_guests guests_allowed nationality`),
  )('%s stays', name => {
    for (const value of ['plain', 5]) {
      expect(json({[name]: value})).toEqual({[name]: value})
      const cut = JSON.stringify({[name]: value}).slice(0, -1)
      expect(text(cut)).toBe(cut)
    }
  })

  test('has its name redacted if the name is a secret', () => {
    expect(json({'a@b.example': 1, 'sk_test_x Token': 5})).toEqual({[GONE]: 1, [`${GONE} Token`]: GONE})
  })

  test('with a relative link is redacted in incomplete JSON', () => {
    expect(text('"url":"/v/opaque","x":1')).toBe(`"url":${GONE}`)
    expect(text(String.raw`"pay_url":"\/v"`)).toBe(`"pay_url":${GONE}`)
    for (const kept of [String.raw`"url":"a\/v"`, '"path":"/v/opaque"', '"guests":null,"x":[1]', '"card":'])
      expect(text(kept)).toBe(kept)
  })
})

describe('of a person', () => {
  test.each(
    words(
      `contact contacts guest guests lead_guest leadGuest holder customers passenger travellers travelers pax paxes`,
    ),
  )('under %s only harmless fields stay', name => {
    const harmless = {type: 'ADULT', is_lead: true, gender: 'MALE', nothing: null}
    const person = {...harmless, name: 'Zed', age: 40, room_type: 'x', rooms: [['z']]}
    const shown = {...harmless, name: GONE, age: GONE, room_type: GONE, rooms: [[GONE]]}
    expect(json({[name]: [person]})).toEqual({[name]: [shown]})
    const hotel = {name: 'Pera'}
    expect(json({a: {[name]: person}, hotel})).toEqual({a: {[name]: shown}, hotel})
  })

  test('harmless fields of people may still contain a secret', () => {
    expect(json({guest: {type: 'ADULT a@b.example', gender: {deep: 'shown'}}})).toEqual({
      guest: {type: `ADULT ${GONE}`, gender: {deep: 'shown'}},
    })
  })

  test('the personal values of a request are collected', () => {
    const harmless = {type: 'ADULT', gender: 'MALE', is_lead: 'x', nationality: 'TR'}
    const guest = {...harmless, name: 'Zed', surname: 'Öz', age: 5}
    expect(
      peopleIn({
        offer_id: 'off_1',
        guests: [guest],
        contact: {email: 'a@b.example', phone_country_code: '+90', phone_number: '532', my_nationality: 'm'},
        phone: {area: '212'},
        identity: {type: 'TC', number: '1'},
        legal_identities: ['2'],
        more: [['not'], {email: ['deep']}],
        nationality_note: 'not',
      }),
    ).toEqual(['Zed', 'Öz', 'a@b.example', '532', 'm', '212', '1', '2', 'deep'])
    for (const value of [null, 5, 'text', undefined]) expect(peopleIn(value)).toEqual([])
  })

  test('the numbers of documents are collected', () => {
    const identity = {type: 'TC', number: '1', country: 'TR', country_code: 'TR', nationality: 'TR'}
    expect(
      identityNumbersIn({
        guests: [{name: 'Zed', identity}],
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
  test('of a voucher or a payment is redacted except for its origin', () => {
    const link = 'https://h.example/secret?x=1'
    const origin = `https://h.example/${GONE}`
    for (const name of words('voucher vouchers voucher_url voucher_link payment payment_url paymentLink')) {
      expect(json({[name]: link})).toEqual({[name]: origin})
      expect(json({[name]: 'opaque'})).toEqual({[name]: GONE})
    }
    for (const field of ['url', 'link', 'href', 'pay_url', 'deep_link'])
      expect(json({payment: {more: [{[field]: 'opaque'}]}, voucher: {[field]: link}})).toEqual({
        payment: {more: [{[field]: GONE}]},
        voucher: {[field]: origin},
      })
    const payment = {mode: 'account', curl: 'x', url_text: 'y', links: 'z', url: null, link: {href: 5}}
    const codes = {voucher_code: 'V1', no_voucher: 'V2', prepayment: 'V3'}
    const kept = {...codes, url: 'relative', nested: {url: 'relative'}, payment}
    expect(json(kept)).toEqual(kept)
    expect(json({voucher: {url: [link]}})).toEqual({voucher: {url: [origin]}})
  })

  test('in a text keeps only its origin', () => {
    expect(text('see http://h.example/a/b?c=d and HTTPS://i.example:8443/e, or "https://j.example/f".')).toBe(
      `see http://h.example/${GONE} and https://i.example:8443/${GONE}, or "https://j.example/${GONE}".`,
    )
    expect(text("<https://h.example/a>'https://h.example/b'")).toBe(
      `<https://h.example/${GONE}>'https://h.example/${GONE}'`,
    )
    expect(text('http://[ is none')).toBe(`${GONE} is none`)
    // Punctuation after a link in a sentence is not part of it.
    expect(text('see (https://a.example/v/abc?t=1). And http://[::1]:80/x!')).toBe(
      `see (https://a.example/${GONE}). And http://[::1]/${GONE}!`,
    )
  })

  test('of an operation keeps its path and the names of its parameters', () => {
    expect(url('https://h.example/v1/account', true)).toBe('https://h.example/v1/account')
    expect(url('https://u:p@h.example/v1/a?b=1&c%20d=2&b=3#e', true)).toBe(
      `https://h.example/v1/a?b=${GONE}&c%20d=${GONE}&b=${GONE}`,
    )
    expect(url('https://h.example/v1/account', false)).toBe(`https://h.example/${GONE}`)
    for (const odd of ['ftp://h.example/', 'view-source:https://h.example/', 'http://[', '/v1/account', ''])
      expect(url(odd, true), odd).toBe(GONE)
  })

  test('is an operation if it has a bearer token or is an OAuth endpoint', () => {
    const request = (address: string, headers = {}) => ({method: 'GET', url: address, headers})
    expect(isOperation(request('https://h.example/x', {authorization: 'Bearer x'}))).toBe(true)
    expect(isOperation(request('https://h.example/v1/oauth/token'))).toBe(true)
    expect(isOperation(request('https://h.example/v1/oauth/revoke'))).toBe(true)
    for (const path of ['/x', '/oauth/tokens', '/oauth/token/x', '/oauth/revoke?x', '/xoauth-token'])
      expect(isOperation(request(`https://h.example${path}`)), path).toBe(false)
  })
})

describe('by its form', () => {
  test.each([
    ...words('sk_live_aB9+/=.~-_ sk_test_x whsec_x eyJhbGci-_.eyJz-_9.sig-_ eyJhbGci.eyJz eyJhbGci.eyJz.'),
    ...words('first.last+tag-1@mail-host.example.co.uk a@b.c ü@münchen.example'),
    ...['Bearer abcd', 'bearer  a+b/c=d.e~f-g_h', 'BASIC\tdXNlcjpwdw=='],
  ])('%s', secret => {
    expect(text(`(${secret}) and (${secret})!`)).toBe(`(${GONE}) and (${GONE})!`)
    expect(redactText(secret)).toBe(GONE)
  })

  test.each([
    ...words('sk_prod_x whsec Bearerabcd eyJabcd.x eyJhbGci a@b @b.c'),
    'Bearer abc',
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

  test('but not other parameters, nor what only looks like a parameter', () => {
    for (const harmless of ['/v?lang=tr&page=2', 'token=abc', 'x?a token=abc', '?to.ken=abc'])
      expect(text(harmless)).toBe(harmless)
  })

  test.each([
    ...words(
      '30569309025904 371449635398431 4012888888881881 5555555555554444 6011111111111117 2223003122003222',
    ),
    ...words('4012-8888-8888-1881 4000000000000000006 10000000146'),
    '3566 0020 2036 0505',
  ])('%s is the number of a card or a person', number => {
    for (const around of ['at %.', 'no. %, x', 'room 5 %', '2030-06-01 %', '% 2030-06-01', '12 %'])
      expect(text(around.replace('%', number))).toBe(around.replace('%', GONE))
  })

  test.each([
    ...words(
      '4222222222222 9999999999999995 7992739871300000 1234567812345670 4012888888881882 371449635398432',
    ),
    ...words('10000000145 x10000000146 1.10000000146 10000000146x -10000000146'),
    ...['2096-10-01 2006-04-20', 'from 00:00 2002-04-24 2011-11-02', '2030-06-01 2030-06-04 450.00'],
  ])('%s is no such number', number => {
    expect(text(`at ${number}.`)).toBe(`at ${number}.`)
  })
})

describe('a document', () => {
  const nested = (depth: number, inner: unknown): unknown =>
    depth === 0 ? inner : [nested(depth - 1, inner)]
  const nestedObjects = (depth: number, inner: unknown): unknown =>
    depth === 0 ? inner : {a: nestedObjects(depth - 1, inner)}

  test('is searched to a depth of sixty', () => {
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

  test('inside a string is searched, too', () => {
    expect(json({a: ' {"guests":[{"name":"Zed"}]}', b: '[{"guest":{"name":"Zed"}}]'})).toEqual({
      a: `{"guests":[{"name":"${GONE}"}]}`,
      b: `[{"guest":{"name":"${GONE}"}}]`,
    })
    for (const harmless of ['[not JSON', '{"cut":', '012', '1e5', String.raw`"\u0061["`, ''])
      expect(json({a: harmless})).toEqual({a: harmless})
    expect(json(JSON.stringify(nested(60, 'x')))).toBe(JSON.stringify(nested(60, GONE)))
  })

  test('keeps values that are not text, except numbers that identify a person', () => {
    const kept = {a: null, b: true, c: 5, d: [1.5, false]}
    expect(json(kept)).toEqual(kept)
    expect(json([10000000146, undefined])).toEqual([GONE, undefined])
  })
})
