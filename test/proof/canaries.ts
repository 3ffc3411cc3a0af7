/**
 * What must not be seen, by kind, as it really was on the wire or was typed: harvested from every request and answer, so
 * that nothing has to look like a secret to be found. A canary is looked for in every spelling it may have been given.
 */

/** `kept …`: of what the machine remembers from before, and in a place of its own. */
export type SecretKind =
  | 'client secret'
  | 'access token'
  | 'signing secret'
  | 'voucher link'
  | 'payment address'
  | 'identity number'
  | 'card number'
  | 'proxy password'
  | 'kept identity number'
  | 'kept payment address'
  | 'kept voucher link'

/** What every cell types or sets, and what every echo adds of its own. */
export const PLANTED = {
  proxyPassword: 'canaryProxyPass77',
  signingSecret: 'whsec_Y2FuYXJ5T2ZUaGVFbnZpcm9ubWVudA',
  card: '4111111111111111',
} as const

const TYPED: readonly (readonly [string, SecretKind])[] = [
  ['sk_test_sandbox', 'client secret'],
  ['10000000146', 'identity number'],
  ['U1234567', 'identity number'],
  [PLANTED.proxyPassword, 'proxy password'],
  [PLANTED.signingSecret, 'signing secret'],
  [PLANTED.card, 'card number'],
  ['4111 1111 1111 1111', 'card number'],
]

/** Of a secret this long each half would tell enough to know it by. */
const LEAST_LENGTH_HALVED = 24

export class Canaries {
  private readonly kinds = new Map<string, SecretKind>()
  /** The same, in every spelling. */
  private readonly spelled = new Map<string, SecretKind>()

  /** Those that were within reach of the command of this cell. */
  private readonly met = new Set<string>()

  constructor(known: Iterable<readonly [string, SecretKind]> = TYPED) {
    for (const [secret, kind] of known) this.add(secret, kind)
  }

  /** How many there were for the command to show: they passed it on the wire, or it could read them where it ran. */
  get size(): number {
    return this.met.size
  }

  /** A secret stays of the kind it was first known as. */
  add(secret: string, kind: SecretKind): void {
    if (this.kinds.has(secret)) return
    this.kinds.set(secret, kind)
    for (const spelling of spellings(secret)) this.spelled.set(spelling, kind)
  }

  /** One that knows the same, and may learn more. */
  copy(): Canaries {
    return new Canaries(this.kinds)
  }

  /** Calls what is known of one kind another. */
  rename(from: SecretKind, to: SecretKind): Canaries {
    return new Canaries([...this.kinds].map(([secret, kind]) => [secret, kind === from ? to : kind] as const))
  }

  /** Takes note of the secrets in something that went over the wire. */
  harvest(text: string): void {
    const add = (kind: SecretKind, pattern: RegExp) => {
      for (const [, secret] of text.matchAll(pattern)) if (secret) this.add(secret, kind)
    }
    add('access token', /"access_token":\s*"([^"]+)"/g)
    add('access token', /^authorization: Bearer (.+)$/gim)
    add('signing secret', /(whsec_[\w+/=-]{8,})/g)
    add('voucher link', /\/vouchers\/([\w.~%-]{8,})/g)
    add('payment address', /\/pay\/([\w.~%-]{8,})/g)
    this.meet(text)
  }

  /** Takes note of which of them are in something that the command can read, as they are. */
  meet(text: string): void {
    for (const secret of this.kinds.keys()) if (text.includes(secret)) this.met.add(secret)
  }

  /** The kinds of which there is one in `text`, without those in `allowed`. */
  seenIn(text: string, allowed: readonly SecretKind[] = []): SecretKind[] {
    const kinds = new Set<SecretKind>()
    for (const [spelling, kind] of this.spelled)
      if (!kinds.has(kind) && !allowed.includes(kind) && text.includes(spelling)) kinds.add(kind)
    return [...kinds]
  }
}

/** As it is, and what is told of it by each half of a long one, in every encoding. */
function spellings(secret: string): string[] {
  const middle = Math.ceil(secret.length / 2)
  const halves = secret.length < LEAST_LENGTH_HALVED ? [] : [secret.slice(0, middle), secret.slice(middle)]
  return [...new Set([secret, ...halves].flatMap(encodings))]
}

/** As it is, percent-encoded in either case, in JSON with escapes, in hex, and in base64 at each of the three places it may begin. */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const percent = encodeURIComponent(secret)
  const hex = bytes.toString('hex')
  const escaped = JSON.stringify(secret).slice(1, -1)
  const lower = percent.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())
  const base64 = [0, 1, 2].flatMap(before => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    // The first characters mix with what stands before, the last with what follows.
    return (['base64', 'base64url'] as const).map(encoding =>
      padded
        .toString(encoding)
        .replace(/=+$/, '')
        .slice(before === 0 ? 0 : before + 1, -1),
    )
  })
  const plain = [secret, escaped, escaped.replaceAll('/', '\\/'), percent, lower]
  return [...plain, hex, hex.toUpperCase(), ...base64]
}
