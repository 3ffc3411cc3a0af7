/** Keys that may have signed, found from the secrets in hand: miscopied, shortened, decoded, or of another subscription. */
import {createSecretKey} from 'node:crypto'
import {
  CLIENT_ID_PREFIX,
  EVENT_ID_PREFIX,
  LIVE_SECRET_PREFIX,
  OFFER_ID_PREFIX,
  SIGNING_SECRET_PREFIX,
  SUBSCRIPTION_ID_PREFIX,
  TEST_SECRET_PREFIX,
} from '../../contract/identifiers.js'
import type {NamedSecret} from '../signature/signature.js'
import {type Cause, cause, type KeyForm} from './finding.js'

/** What a secret that is no signing secret is, by its beginning. */
const OTHER_KINDS: readonly [string, string][] = [
  [LIVE_SECRET_PREFIX, 'a live client secret (sk_live_)'],
  [TEST_SECRET_PREFIX, 'a test client secret (sk_test_)'],
  [CLIENT_ID_PREFIX, 'a client id (cid_)'],
  [SUBSCRIPTION_ID_PREFIX, 'the id of a subscription (whsub_)'],
  [EVENT_ID_PREFIX, 'the id of an event (evt_)'],
  [OFFER_ID_PREFIX, 'the id of an offer (off_)'],
  ['Bearer ', 'an access token'],
]

const WHITESPACE = cause('secret_whitespace', 'White space is around the secret in hand.')
const QUOTED = cause('secret_quoted', 'Quotes are around the secret in hand.')
const SURROUNDED = cause(
  'secret_quoted',
  'Other text is around the secret in hand, as in a line of a .env file.',
)
const PREFIX_LOST = cause('secret_prefix_missing', 'The secret in hand lacks its prefix whsec_.')
const PREFIX_DOUBLED = cause('secret_prefix_doubled', 'The secret in hand has the prefix whsec_ twice.')
const SIGNED_WITHOUT_PREFIX = cause(
  'secret_prefix_missing',
  'It was signed with the secret without its prefix whsec_; the prefix belongs to the key.',
)
const DECODED = cause(
  'secret_base64_decoded',
  'It was signed with the bytes that the secret decodes to; the key is the text of the secret.',
)
const ENCODED = cause(
  'secret_base64_encoded',
  'The secret in hand is encoded in base64, as in a Kubernetes Secret.',
)
const SIGNED_WITH_SPACE = cause(
  'secret_whitespace',
  'It was signed with the secret and a space or line break around it.',
)
const SIGNED_WITH_QUOTES = cause('secret_quoted', 'It was signed with the secret and quotes around it.')

/** Keys that may be meant by `secret`: itself first, then one thing wrong with it, then more. */
export function keyForms({secret}: NamedSecret): KeyForm[] {
  const spellings = clean({text: secret, causes: []})
  const forms = [
    ...spellings.map(({text, causes}) => form(text, causes)),
    ...spellings.map(prefixForm),
    ...spellings.flatMap(encodedForms),
    // As `echo "$SECRET" |` does.
    ...['\n', '\r\n', ' ', '\r'].map(end => form(secret + end, [SIGNED_WITH_SPACE])),
    form(` ${secret}`, [SIGNED_WITH_SPACE]),
    ...['"', "'"].map(quote => form(quote + secret + quote, [SIGNED_WITH_QUOTES])),
  ]
  const seen = new Set([''])
  return forms.filter(({key}) => {
    const name = key.export().toString('latin1')
    return !seen.has(name) && seen.add(name)
  })
}

const form = (key: string | Uint8Array, causes: readonly Cause[]): KeyForm => ({
  key: createSecretKey(Buffer.from(key as string)),
  causes,
})

type Spelling = Pick<KeyForm, 'causes'> & {readonly text: string}

const MOST_LAYERS = 6

/** The secret as it is, and with spaces, quotes and other text around it taken away one after the other. */
function clean(start: Spelling): Spelling[] {
  const spellings = [start]
  for (let n = 0; n < MOST_LAYERS; n++) {
    const next = cleaner(spellings.at(-1) as Spelling)
    if (!next?.text) break
    spellings.push(next)
  }
  return spellings
}

function cleaner({text, causes}: Spelling): Spelling | undefined {
  const added = (one: Cause) => (causes.includes(one) ? causes : [...causes, one])
  const trimmed = text.replace(
    // \ufeff is white space already; what two of the branches take makes a long run exponential.
    /^[\s\u200b-\u200d\u2060]+|(?:[\s\u200b-\u200d\u2060]|\\[nrt])+$/gu,
    '',
  )
  if (trimmed !== text) return {text: trimmed, causes: added(WHITESPACE)}
  const quoted = /^(["'`\u201c\u2018])(.*)(["'`\u201d\u2019])$/s.exec(text)?.[2]
  if (quoted !== undefined) return {text: quoted, causes: added(QUOTED)}
  const inside = /whsec_[\w+/=-]+/.exec(text)?.[0]
  if (inside !== undefined && inside !== text) return {text: inside, causes: added(SURROUNDED)}
  return undefined
}

function prefixForm({text, causes}: Spelling): KeyForm {
  if (!text.startsWith(SIGNING_SECRET_PREFIX))
    return form(SIGNING_SECRET_PREFIX + text, [...causes, PREFIX_LOST])
  const rest = text.slice(SIGNING_SECRET_PREFIX.length)
  const isDoubled = rest.startsWith(SIGNING_SECRET_PREFIX)
  return form(rest, [...causes, isDoubled ? PREFIX_DOUBLED : SIGNED_WITHOUT_PREFIX])
}

function encodedForms({text, causes}: Spelling): KeyForm[] {
  const rest = text.replace(/^whsec_/, '')
  const forms = /^(?:[\da-f]{2})+$/i.test(rest) ? [form(Buffer.from(rest, 'hex'), [...causes, DECODED])] : []
  if (!/^[A-Za-z0-9+/_-]{2,}={0,2}$/.test(rest)) return forms
  const whole = Buffer.from(text, 'base64')
  const inner = whole.toString('utf8').trimEnd()
  return [
    // Before the bytes, which are the same key: the first form of a key names its cause.
    ...(inner.startsWith(SIGNING_SECRET_PREFIX) ? [form(inner, [...causes, ENCODED])] : []),
    form(Buffer.from(rest, 'base64'), [...causes, DECODED]),
    form(whole, [...causes, DECODED]),
    ...forms,
  ]
}

/** Keys of other subscriptions this machine knows, each named. */
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

/** What the first of `secrets` is, when by their beginnings none of them is a signing secret. */
export function wrongKinds(secrets: readonly NamedSecret[]): Cause[] {
  const kinds = secrets.map(({secret}) => {
    const text = secret.trim().replace(/^["'`]/, '')
    return OTHER_KINDS.find(([prefix]) => text.startsWith(prefix))?.[1]
  })
  const [kind] = kinds
  if (kind === undefined || kinds.includes(undefined)) return []
  return [cause('secret_not_a_signing_secret', `What was given as the signing secret is ${kind}.`)]
}

/** What makes a text doubtful as a signing secret, the first that fits. */
const DOUBTS: readonly [RegExp, string][] = [
  [/^\$\{?\w+\}?$|^%\w+%$/, 'it is the name of a variable, not its value'],
  [/^<.*>$|^(?:your|my)[-_ ]|change[-_]?me|placeholder|\bx{4,}/i, 'it looks like a placeholder'],
  [/^https?:/i, 'it is an address'],
  [
    /^(?:~|\.{0,2})\/|^[a-z]:\\|\.(?:txt|env|key|pem|json)$/i,
    'it looks like the name of a file (--secret-file reads one)',
  ],
  [/\s/, 'it has spaces or line breaks in it'],
  [new RegExp(`^(?!${SIGNING_SECRET_PREFIX})`), `it does not begin with ${SIGNING_SECRET_PREFIX}`],
  [new RegExp(`^${SIGNING_SECRET_PREFIX}.{0,15}$`), `it is short, and may have been cut off`],
]

/** Why the first of `secrets` may be no signing secret, when all are doubtful. */
export function doubts(secrets: readonly NamedSecret[]): Cause[] {
  const found = secrets.map(({secret}) => {
    const text = secret.trim().replace(/^(["'`])(.*)\1$/s, '$2')
    return DOUBTS.find(([pattern]) => pattern.test(text))?.[1]
  })
  const [first] = found
  if (first === undefined || found.includes(undefined)) return []
  return [cause('secret_doubtful', `The secret in hand does not look like a signing secret: ${first}.`)]
}
