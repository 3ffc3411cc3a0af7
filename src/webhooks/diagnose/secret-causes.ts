/**
 * Derives keys that may have signed a body from the given secrets: with a mistake of copying undone, shortened,
 * decoded, or of another subscription.
 */
import {createSecretKey} from 'node:crypto'
import {SIGNING_SECRET_PREFIX} from '../../contract/identifiers.js'
import type {NamedSecret} from '../signature/signature.js'
import {type Cause, cause, type KeyForm} from './finding.js'

/**
 * White space that often ends up around a secret, for example from `echo "$SECRET" |`, files of Windows, or cells of a
 * table.
 */
const SPACED = [
  ['', '\n'],
  ['', '\r\n'],
  ['', '\r'],
  ['', ' '],
  ['', '\t'],
  [' ', ''],
  ['\t', ''],
  ['\n', ''],
  [' ', ' '],
  ['\n', '\n'],
] as const

/** Returns the possible keys for `secret`: the secret itself, then with one mistake undone, then with several. */
export function keyForms({secret}: NamedSecret): KeyForm[] {
  const spellings = clean({text: secret, causes: []})
  const spaced = cause('secret_whitespace', 'It was signed with the secret and white space around it.')
  const forms = [
    ...spellings.map(({text, causes}) => form(text, causes)),
    ...spellings.map(prefixForm),
    ...spellings.flatMap(encodedForms),
    ...SPACED.map(([start, end]) => form(start + secret + end, [spaced])),
  ]
  const distinct: KeyForm[] = []
  const seen = new Set([''])
  for (const one of forms) {
    const name = one.key.export().toString('latin1')
    if (seen.has(name)) continue
    seen.add(name)
    distinct.push(one)
  }
  return distinct
}

const form = (key: string | Uint8Array, causes: readonly Cause[]): KeyForm => ({
  key: createSecretKey(Buffer.from(key as string)),
  causes,
})

type Spelling = Pick<KeyForm, 'causes'> & {readonly text: string}

/** Returns the secret as it is, and then with up to six layers of spaces, quotes and other text removed one by one. */
function clean(start: Spelling, layers = 6): Spelling[] {
  const next = layers > 0 ? cleaner(start) : undefined
  return [start, ...(next?.text ? clean(next, layers - 1) : [])]
}

function cleaner({text, causes}: Spelling): Spelling | undefined {
  const without = (what: string, code: string, inner: string) => ({
    text: inner,
    causes: [...causes, cause(code, `${what} around the secret in hand.`)],
  })
  // `\s` already includes \ufeff. If both alternatives of the pattern could match it, a long run would take exponential
  // time.
  const space = /^[\s\u200b-\u200d\u2060]+|(?:[\s\u200b-\u200d\u2060]|\\[nrt])+$/gu
  const trimmed = text.replace(space, '')
  if (trimmed !== text) return without('White space is', 'secret_whitespace', trimmed)
  const quoted = /^(["'`\u201c\u2018])(.*)(["'`\u201d\u2019])$/s.exec(text)?.[2]
  if (quoted !== undefined) return without('Quotes are', 'secret_quoted', quoted)
  const inside = /whsec_[\w+/=-]+/.exec(text)?.[0]
  if (inside === undefined || inside === text) return undefined
  return without('Other text, as in a line of a .env file, is', 'secret_quoted', inside)
}

function prefixForm({text, causes}: Spelling): KeyForm {
  if (!text.startsWith(SIGNING_SECRET_PREFIX)) {
    const lost = cause('secret_prefix_missing', 'The secret in hand lacks its prefix whsec_.')
    return form(SIGNING_SECRET_PREFIX + text, [...causes, lost])
  }
  const rest = text.slice(SIGNING_SECRET_PREFIX.length)
  const changed = rest.startsWith(SIGNING_SECRET_PREFIX)
    ? cause('secret_prefix_doubled', 'The secret in hand has the prefix whsec_ twice.')
    : cause('secret_prefix_missing', 'It was signed without the prefix whsec_, which belongs to the key.')
  return form(rest, [...causes, changed])
}

function encodedForms({text, causes}: Spelling): KeyForm[] {
  const what = 'It was signed with the bytes that the secret decodes to; the key is the text of the secret.'
  const decoded = [...causes, cause('secret_base64_decoded', what)]
  const rest = text.replace(/^whsec_/, '')
  if (!/^[A-Za-z0-9+/_-]{2,}={0,2}$/.test(rest)) return []
  const inner = Buffer.from(text, 'base64').toString('utf8').trimEnd()
  const encoded = cause('secret_base64_encoded', 'The secret in hand is base64, as in a Kubernetes Secret.')
  return [
    // This form comes before the decoded bytes, which give the same key, because the first form of a key names the
    // cause.
    ...(inner.startsWith(SIGNING_SECRET_PREFIX) ? [form(inner, [...causes, encoded])] : []),
    form(Buffer.from(rest, 'base64'), decoded),
  ]
}

/** Returns the keys of other subscriptions on this machine, each with the cause that names it. */
export function otherKeyForms(others: readonly NamedSecret[], given: readonly NamedSecret[]): KeyForm[] {
  const known = new Set(given.map(({secret}) => secret))
  return others
    .filter(({secret}) => !known.has(secret))
    .map(({name, secret}) => {
      const what = `It was signed with the secret of another subscription: ${name}.`
      const fix = `Use the secret of ${name}, or send this subscription's events to this receiver.`
      return form(secret, [{...cause('secret_of_other_subscription', what), fix}])
    })
}

/** Matches values of the service that are not signing secrets. */
const OTHER_KINDS: readonly [RegExp, words: string][] = [
  [/^sk_live_/, 'is a live client secret (sk_live_)'],
  [/^sk_test_/, 'is a test client secret (sk_test_)'],
  [/^cid_/, 'is a client id (cid_)'],
  [/^whsub_/, 'is the id of a subscription (whsub_)'],
  [/^evt_/, 'is the id of an event (evt_)'],
  [/^off_/, 'is the id of an offer (off_)'],
  [/^Bearer /, 'is an access token'],
]

/** Matches texts that are probably not a signing secret. The first match is reported. */
const DOUBTS: readonly [RegExp, words: string][] = [
  ...OTHER_KINDS,
  [/^\$\{?\w+\}?$|^%\w+%$/, 'is the name of a variable, not its value'],
  [/^<.*>$|^(?:your|my)[-_ ]|change[-_]?me|placeholder|\bx{4,}/i, 'looks like a placeholder'],
  [/^https?:/i, 'is an address'],
  [
    /^(?:~|\.{0,2})\/|^[a-z]:\\|\.(?:txt|env|key|pem|json)$/i,
    'looks like the name of a file (see --secret-file)',
  ],
  [/\s/, 'has spaces or line breaks in it'],
  [/^(?!whsec_)/, 'does not begin with whsec_'],
  [/^whsec_.{0,15}$/, 'is short, and may have been cut off'],
]

/**
 * Returns the reason why the first of `secrets` is probably not a signing secret. Returns an empty list unless all of
 * them are doubtful.
 */
export function doubts(secrets: readonly NamedSecret[]): Cause[] {
  const found = secrets.flatMap(({secret}) => {
    const text = secret.trim().replace(/^["'`]|["'`]$/g, '')
    return DOUBTS.filter(([pattern]) => pattern.test(text)).slice(0, 1)
  })
  const [first] = found
  if (!first || found.length < secrets.length) return []
  const isOther = found.every(rule => OTHER_KINDS.includes(rule))
  const what = `What was given as the signing secret ${first[1]}.`
  return [cause(isOther ? 'secret_not_a_signing_secret' : 'secret_doubtful', what)]
}
