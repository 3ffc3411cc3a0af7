/** Saved inputs that are long but repetitive, by kind and name. The others are files in corpus/. */
import type {KindName} from './commands.js'

const numbered = (count: number, make: (n: number) => string, separator = ', ') =>
  Array.from({length: count}, (_, n) => make(n)).join(separator)

const OFFER =
  '{"offer_id": "o", "hotel_name": "H", "price": {"total": "1.00", "currency": "EUR"}, "expires_at": "2030-01-01T00:00:00Z"}'
const SERVICE = '{"base_url": "https://x.example/v1", "client_id": "cid_x"}'
const RIGHT_DIGEST = 'v1=ebaf629788db9e64c2fe2654e4fa66cd24642a09656ff96e9225c3e731a424cc'
const wrongDigests = (count: number) => `t=1700000000${`,v1=${'a'.repeat(64)}`.repeat(count)}`

const LARGE: Readonly<Record<KindName, Readonly<Record<string, () => string>>>> = {
  answers: {
    'cursor-endless': () => `{"data": [], "meta": {"after": "${'a'.repeat(20_000)}"}}`,
    'deep-open': () => '['.repeat(100_000),
    'error-code-long': () =>
      `{"error": {"code": "${'x'.repeat(100_000)}", "message": "${'y'.repeat(100_000)}", "request_id": "${'z'.repeat(100_000)}"}}`,
    'keys-twenty-thousand': () => `{"data": {${numbered(20_000, n => `"k${n}": ${n}`)}}}`,
    'long-message': () => `{"error":{"code":"${'c'.repeat(5000)}","message":"${'m'.repeat(100_000)}"}}`,
    'offers-same-id': () => `{"data": {"offers": [${numbered(500, () => OFFER)}]}}`,
    'voucher-long': () => `{"data": {"voucher": {"url": "https://127.0.0.1:1/${'a'.repeat(100_000)}"}}}`,
    'wide-text'() {
      const family = '\\ud83d\\udc69\\u200d\\ud83d\\udc69\\u200d\\ud83d\\udc67\\u200d\\ud83d\\udc66'
      const name = `${'\\u6771'.repeat(3000)}${family.repeat(500)}e${'\\u0301'.repeat(2000)}`
      return `{"data": {"account": {"name": "${name}"}}}`
    },
  },
  captures: {
    'deep-arrays': () => '['.repeat(20_000),
    'deep-har': () => `{"log":{"entries":${'['.repeat(20_000)}`,
    'har-many-entries': () =>
      `{"log": {"version": "1.2", "entries": [${numbered(3000, () => '{"request": {}}')}]}}`,
    'http-endless-header': () => `POST / HTTP/1.1\r\nX: ${'a'.repeat(200_000)}`,
    'http-line-of-100k': () => `POST /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
    'http-thousand-headers': () => `POST / HTTP/1.1\r\n${numbered(3000, n => `X-${n}: ${n}\r\n`, '')}\r\n{}`,
    'long-number': () => `{"id":${'9'.repeat(100_000)}}`,
    'many-lines': () => '{}\n'.repeat(5000),
  },
  config: {
    'base-url-long': () =>
      `{"current_profile": "default", "profiles": {"default": {"base_url": "https://x.example${'/a'.repeat(20_000)}/v1", "client_id": "cid_x"}}}`,
    'deep-in-known-key': () => `{"defaults":{"contact":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_002)}`,
    'deep-open': () => '['.repeat(50_000),
    deep: () => `{"defaults":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`,
    'key-long': () => `{"${'k'.repeat(200_000)}": 1}`,
    'keys-many': () => `{${numbered(20_000, n => `"k${n}":1`, ',')}}`,
    'profiles-many': () => `{"profiles": {${numbered(3000, n => `"p${n}": ${SERVICE}`)}}}`,
    'too-large': () => `{"a":"${'x'.repeat(1_100_000)}"}`,
  },
  signature: {
    'ten-thousand-fields': () => `t=1700000000,${RIGHT_DIGEST}${',x=1'.repeat(10_000)},v1=`,
    'thousand-digests': () => wrongDigests(1000),
    'valid-second-of-thousands': () => `${wrongDigests(1500)},${RIGHT_DIGEST}`,
  },
}

export const largeOf = (kind: KindName) =>
  Object.entries(LARGE[kind]).map(([name, make]) => ({name, bytes: Buffer.from(make())}))
