/** Captures broken on purpose, each with the codes that name what was done to it. */
import {createHash} from 'node:crypto'
import {base64, CHANGED, escapeNonAscii, type Make, pythonic, type Rows} from './changed-bodies.js'
import {eventText, headerFor, hmac, type Pick, richText, secretOf, T, word} from './signed-events.js'

export interface BrokenCapture {
  /** Every one of these codes must be found, and no other. */
  readonly codes: readonly string[]
  readonly body: Uint8Array
  readonly secret: string
  readonly header: string
  readonly others?: readonly {name: string; secret: string}[]
}

type Break = (pick: Pick) => BrokenCapture

/** Signatures that were made, or copied, in another way. */
const RESIGNED: Rows<(secret: string, body: Buffer, pick: Pick) => string> = {
  secret_prefix_missing: {'signed without prefix': (secret, body) => headerFor(secret.slice(6), body)},
  secret_base64_decoded: {
    'signed with decoded secret': (secret, body) => headerFor(Buffer.from(secret.slice(6), 'base64'), body),
  },
  secret_whitespace: {'signed with a line break': (secret, body) => headerFor(`${secret}\n`, body)},
  timestamp_milliseconds: {
    'milliseconds throughout': (secret, body, pick) => headerFor(secret, body, milliseconds(pick)),
    'milliseconds signed': (secret, body, pick) =>
      headerFor(secret, body, milliseconds(pick)).replace(/t=\d+/, `t=${T}`),
    'a fraction of a second': (secret, body) => headerFor(secret, body, `${T}.5`),
    'milliseconds sent': (secret, body) => inMilliseconds(headerFor(secret, body)),
  },
  timestamp_not_signed: {'timestamp not signed': (secret, body) => `t=${T},v1=${hmac(secret, body)}`},
  separator_wrong: {
    'another separator': (secret, body, pick) =>
      `t=${T},v1=${hmac(secret, `${T}${[',', ':', '', '|', '\n', '-'][pick(6)]}${body}`)}`,
    'body first': (secret, body) => `t=${T},v1=${hmac(secret, `${body}.${T}`)}`,
  },
  signature_base64: {'digest in base64': (secret, body) => digestInBase64(headerFor(secret, body))},
  signature_uppercase: {
    'upper case': (secret, body) =>
      headerFor(secret, body).replace(/v1=(.*)/, (_, hex) => `v1=${hex.toUpperCase()}`),
  },
  signature_prefixed: {
    prefixed: (secret, body) => headerFor(secret, body).replace('v1=', 'v1=sha256='),
    'v1 twice': (secret, body) => headerFor(secret, body).replace('v1=', 'v1=v1='),
  },
  header_rewritten: {
    'a space in the header': (secret, body) => headerFor(secret, body).replace(',', ', '),
    'quotes around the header': (secret, body) => `"${headerFor(secret, body)}"`,
    'a semicolon in the header': (secret, body) => headerFor(secret, body).replace(',', ';'),
    'capitals in the header': (secret, body) => headerFor(secret, body).replace('t=', 'T=').replace('v', 'V'),
    'two times in the header': (secret, body) => `t=1,${headerFor(secret, body)}`,
    'a time that is not in digits': (secret, body) => headerFor(secret, body, `+${T}`),
    'a short digest more': (secret, body) => `${headerFor(secret, body)},v1=short`,
  },
  signed_without_hmac_key: {
    'plain hash': (_, body) => `t=${T},v1=${sha256(`${T}.${body}`)}`,
    'hash of secret and body': (secret, body) => `t=${T},v1=${sha256(`${secret}${T}.${body}`)}`,
    'empty key': (_, body) => headerFor('', body),
  },
  unexplained: {
    'a digest of nothing': (secret, _, pick) => `t=${T},v1=${hmac(secret, word(pick, 20))}`,
    'another time': (secret, body, pick) =>
      headerFor(secret, body).replace(`t=${T}`, `t=${T + 1 + pick(1e6)}`),
    'short digest': (secret, body) => headerFor(secret, body).slice(0, -8),
  },
}

const milliseconds = (pick: Pick) => `${T}${String(pick(1000)).padStart(3, '0')}`
const inMilliseconds = (header: string) => header.replace(`t=${T}`, `t=${T}123`)
const digestInBase64 = (header: string) =>
  header.replace(/v1=(.*)/, (_, hex) => `v1=${Buffer.from(hex, 'hex').toString('base64')}`)
const sha256 = (message: string) => createHash('sha256').update(message).digest('hex')

/** Secrets in hand that are not quite the one. */
const MISCOPIED: Rows<(secret: string, pick: Pick) => string> = {
  secret_whitespace: {
    'space after the secret': secret => `${secret} `,
    'tab before the secret': secret => `\t${secret}\r\n`,
  },
  secret_quoted: {
    'secret in double quotes': secret => `"${secret}"`,
  },
  'secret_quoted secret_whitespace': {'quoted with a line break': secret => `"${secret}"\n`},
  secret_prefix_doubled: {'prefix twice': secret => `whsec_${secret}`},
  secret_prefix_missing: {'prefix missing': secret => secret.slice(6)},
  secret_base64_encoded: {'secret in base64': base64},
  secret_not_a_signing_secret: {'client secret': (_, pick) => `sk_test_${word(pick, 20)}`},
  unexplained: {'unknown secret': (_, pick) => secretOf(pick)},
}

/** A capture of the signed body `make` gives, with what was changed. */
const capture =
  (
    codes: string,
    make: Make,
    change: (given: {text: string; secret: string; body: Buffer; pick: Pick}) => Partial<BrokenCapture>,
  ): Break =>
  pick => {
    const text = make(pick)
    const [body, secret] = [Buffer.from(text), secretOf(pick)]
    const broken = change({text, secret, body, pick})
    return {codes: codes.split(' '), secret, body, header: headerFor(secret, body), ...broken}
  }

function rows<Row>(table: Rows<Row>, toBreak: (codes: string, row: Row) => Break): [string, Break][] {
  return Object.entries(table).flatMap(([codes, named]) =>
    Object.entries(named).map(([name, row]): [string, Break] => [name, toBreak(codes, row)]),
  )
}

/** Every kind of break by its name. */
export const BREAKS: readonly (readonly [string, Break])[] = [
  ...rows(CHANGED, (codes, row) => {
    const [change, make] = typeof row === 'function' ? [row, richText] : row
    return capture(codes, make, ({text}) => ({body: Buffer.from(change(text) as string)}))
  }),
  ...rows(RESIGNED, (codes, header) =>
    capture(codes, eventText, ({secret, body, pick}) => ({header: header(secret, body, pick)})),
  ),
  ...rows(MISCOPIED, (codes, copy) =>
    capture(codes, eventText, ({secret, pick}) => ({secret: copy(secret, pick)})),
  ),
  ...Object.entries<Break>({
    'other subscription': capture('secret_of_other_subscription', eventText, ({secret, pick}) => ({
      secret: secretOf(pick),
      others: [
        {name: 'whsub_a', secret: secretOf(pick)},
        {name: 'whsub_b', secret},
      ],
    })),
    'Python and quoted secret': capture('body_reserialized secret_quoted', richText, ({text, secret}) => ({
      body: Buffer.from(escapeNonAscii(pythonic(text))),
      secret: `"${secret}"`,
    })),
    'base64 body and digest': capture('body_base64 signature_base64', richText, ({text, secret, body}) => ({
      body: Buffer.from(base64(text)),
      header: digestInBase64(headerFor(secret, body)),
    })),
    'newline and milliseconds sent': capture(
      'body_trailing_newline timestamp_milliseconds',
      richText,
      ({text, secret, body}) => ({
        body: Buffer.from(`${text}\n`),
        header: inMilliseconds(headerFor(secret, body)),
      }),
    ),
    'newline and timestamp not signed': capture(
      'body_trailing_newline timestamp_not_signed',
      eventText,
      ({text, secret}) => ({body: Buffer.from(`${text}\n`), header: `t=${T},v1=${hmac(secret, text)}`}),
    ),
    noise: pick => ({
      codes: ['unexplained'],
      secret: secretOf(pick),
      body: Buffer.from(Array.from({length: 200}, () => pick(256))),
      header: headerFor(secretOf(pick), Buffer.from('x')),
    }),
  }),
]
