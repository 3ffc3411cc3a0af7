/** Keys that may have signed, told from the secrets in hand: copied badly, shortened, decoded, or another one's. */
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
import type {Cause, KeyForm} from './cause.js'

const QUOTES = /^(["'`\u201c\u2018])(.*)(["'`\u201d\u2019])$/s

/** What the secrets in hand may be, by what they begin with. */
const OTHER_KINDS: readonly [string, string][] = [
  [LIVE_SECRET_PREFIX, 'a live client secret (sk_live_)'],
  [TEST_SECRET_PREFIX, 'a test client secret (sk_test_)'],
  [CLIENT_ID_PREFIX, 'a client id (cid_)'],
  [SUBSCRIPTION_ID_PREFIX, 'the id of a subscription (whsub_)'],
  [EVENT_ID_PREFIX, 'the id of an event (evt_)'],
  [OFFER_ID_PREFIX, 'the id of an offer (off_)'],
  ['Bearer ', 'an access token'],
]

/** Keys that may be meant by `secret`: itself first, then one thing wrong with it, then more. */
export function keyForms({secret}: NamedSecret): KeyForm[] {
  const forms = new Map<string, KeyForm>()
  const add = (key: string | Uint8Array, causes: readonly Cause[]) => {
    const bytes = Buffer.from(key as string)
    const name = bytes.toString('latin1')
    if (bytes.length > 0 && !forms.has(name)) forms.set(name, {key: bytes, causes})
  }
  const spellings = clean({text: secret, causes: []})
  for (const {text, causes} of spellings) add(text, causes)
  for (const {text, causes} of spellings) prefixForms(text, causes, add)
  for (const {text, causes} of spellings) encodedForms(text, causes, add)
  const [given] = spellings
  if (given) paddedForms(given.text, add)
  return [...forms.values()]
}

interface Spelling {
  readonly text: string
  readonly causes: readonly Cause[]
}

const cause = (code: string, what: string): Cause => ({code, what})
const WHITESPACE = cause('secret_whitespace', 'White space stands around the secret in hand.')
const QUOTED = cause('secret_quoted', 'Quotes stand around the secret in hand.')
const SURROUNDED = cause(
  'secret_quoted',
  'Other text stands around the secret in hand, as in a line of a .env file.',
)

/** The secret as it is, and with blanks, quotes and other text around it taken away one after the other. */
function clean(start: Spelling): Spelling[] {
  const spellings = [start]
  let last = start
  for (let n = 0; n < 6; n++) {
    const next = cleaner(last)
    if (!next || next.text === '') break
    spellings.push(next)
    last = next
  }
  return spellings
}

function cleaner({text, causes}: Spelling): Spelling | undefined {
  const trimmed = text.replace(
    // \ufeff is white space already; what two of the branches take makes a long run exponential.
    /^[\s\u200b-\u200d\u2060]+|(?:[\s\u200b-\u200d\u2060]|\\[nrt])+$/gu,
    '',
  )
  if (trimmed !== text) return {text: trimmed, causes: once(causes, WHITESPACE)}
  const quoted = QUOTES.exec(text)?.[2]
  if (quoted !== undefined) return {text: quoted, causes: once(causes, QUOTED)}
  const inside = /whsec_[\w+/=-]+/.exec(text)?.[0]
  if (inside !== undefined && inside !== text) return {text: inside, causes: once(causes, SURROUNDED)}
  return undefined
}

function once(causes: readonly Cause[], added: Cause): Cause[] {
  return causes.includes(added) ? [...causes] : [...causes, added]
}

type Add = (key: string | Uint8Array, causes: readonly Cause[]) => void

function prefixForms(text: string, causes: readonly Cause[], add: Add): void {
  const code = 'secret_prefix_missing'
  if (!text.startsWith(SIGNING_SECRET_PREFIX)) {
    add(SIGNING_SECRET_PREFIX + text, [...causes, cause(code, 'The secret in hand lacks its prefix whsec_.')])
    return
  }
  const rest = text.slice(SIGNING_SECRET_PREFIX.length)
  const doubled = rest.startsWith(SIGNING_SECRET_PREFIX)
  add(rest, [
    ...causes,
    doubled
      ? cause('secret_prefix_doubled', 'The prefix whsec_ stands twice before the secret in hand.')
      : cause(
          code,
          'It was signed with the secret without its prefix whsec_; the prefix belongs to the key (§6.3).',
        ),
  ])
}

function encodedForms(text: string, causes: readonly Cause[], add: Add): void {
  const rest = text.replace(/^whsec_/, '')
  const decoded = (what: string) => [...causes, cause('secret_base64_decoded', what)]
  const why =
    'It was signed with the bytes that the secret decodes to; the key is the text of the secret (§6.3)'
  if (/^[A-Za-z0-9+/_-]{2,}={0,2}$/.test(rest)) {
    add(Buffer.from(rest, 'base64'), decoded(`${why}. (Decoded from base64, without its prefix.)`))
    add(Buffer.from(text, 'base64'), decoded(`${why}. (Decoded from base64, with its prefix.)`))
    const inner = Buffer.from(text, 'base64')
      .toString('utf8')
      .replace(/[\r\n]+$/, '')
    if (inner.startsWith(SIGNING_SECRET_PREFIX)) {
      const what = 'The secret in hand is encoded in base64, as in a Kubernetes Secret.'
      add(inner, [...causes, cause('secret_base64_encoded', what)])
    }
  }
  if (/^(?:[\da-f]{2})+$/i.test(rest)) add(Buffer.from(rest, 'hex'), decoded(`${why}. (Decoded from hex.)`))
}

/** The secret is right here, and it was signed with something around it, as `echo "$SECRET" |` does. */
function paddedForms(text: string, add: Add): void {
  const padded = (what: string) => [cause('secret_whitespace', what)]
  for (const end of ['\n', '\r\n', ' ', '\r']) {
    add(text + end, padded('It was signed with the secret and a blank or line break after it.'))
  }
  add(` ${text}`, padded('It was signed with the secret and a blank before it.'))
  for (const quote of ['"', "'"]) {
    add(quote + text + quote, [cause('secret_quoted', 'It was signed with the secret and quotes around it.')])
  }
}

/** Keys of other subscriptions this machine knows, each named. */
export function otherKeyForms(others: readonly NamedSecret[], given: readonly NamedSecret[]): KeyForm[] {
  const known = new Set(given.map(({secret}) => secret))
  return others
    .filter(({secret}) => !known.has(secret))
    .map(({name, secret}) => ({
      key: Buffer.from(secret),
      causes: [
        {
          code: 'secret_of_other_subscription',
          what: `It was signed with the secret of another subscription: ${name}.`,
          fix: `Use the secret of ${name}, or send this subscription's events to this receiver.`,
        },
      ],
    }))
}

/** What each of `secrets` is, when by its first letters it is no signing secret at all. */
export function wrongKinds(secrets: readonly NamedSecret[]): Cause[] {
  const kinds = secrets.map(({secret}) => {
    const text = secret.trim().replace(/^["'`]/, '')
    return OTHER_KINDS.find(([prefix]) => text.startsWith(prefix))?.[1]
  })
  const [kind] = kinds
  if (kind === undefined || kinds.includes(undefined)) return []
  return [cause('secret_not_a_signing_secret', `What was given as the signing secret is ${kind}.`)]
}
