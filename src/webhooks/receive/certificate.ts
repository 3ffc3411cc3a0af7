/** A self-made certificate for a receiver on this machine, and the authority that signs it. */
import {createPrivateKey, X509Certificate} from 'node:crypto'
import {isIP} from 'node:net'

/** Both as PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

const DAY_SECONDS = 24 * 3600
/** Ours. The authority is replaced early enough to outlive every certificate it signs. */
const AUTHORITY_DAYS = 3650
const CERTIFICATE_DAYS = 397
const NAME = 'bookctl webhooks listen, made on this machine'

/** A new authority; `now` is Unix seconds. It can sign receivers' certificates, but no other authorities. */
export async function makeAuthority(now: number): Promise<KeyPair> {
  const {generate} = await import('selfsigned')
  const made = await generate([{name: 'commonName', value: NAME}], {
    ...terms(now, AUTHORITY_DAYS),
    extensions: [
      {name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true},
      {name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true},
    ],
  })
  return {cert: made.cert, key: made.private}
}

/** A certificate for `localhost`, the loopback addresses and `host`, signed by `authority`. */
export async function makeCertificate(authority: KeyPair, host: string, now: number): Promise<KeyPair> {
  const {generate} = await import('selfsigned')
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])]
  const made = await generate([{name: 'commonName', value: 'localhost'}], {
    ...terms(now, CERTIFICATE_DAYS),
    ca: authority,
    extensions: [
      {name: 'basicConstraints', cA: false, critical: true},
      {name: 'keyUsage', digitalSignature: true, critical: true},
      {name: 'extKeyUsage', serverAuth: true},
      {
        name: 'subjectAltName',
        altNames: names.map(name => (isIP(name) === 0 ? {type: 2, value: name} : {type: 7, ip: name})),
      },
    ],
  })
  return {cert: made.cert, key: made.private}
}

function terms(now: number, days: number) {
  // From yesterday on, for slow clocks.
  const notBeforeDate = new Date((now - DAY_SECONDS) * 1000)
  const notAfterDate = new Date((now + days * DAY_SECONDS) * 1000)
  return {keyType: 'ec', curve: 'P-256', algorithm: 'sha256', notBeforeDate, notAfterDate} as const
}

/** Whether `authority` can be used: cert and key belong together, and it outlives what it signs from `now` on. */
export function isUsableAuthority({cert, key}: KeyPair, now: number): boolean {
  const certificate = parseCertificate(cert)
  if (!certificate?.ca || !isKeyOf(certificate, key)) return false
  return Date.parse(certificate.validTo) / 1000 > now + CERTIFICATE_DAYS * DAY_SECONDS
}

/** The first certificate in `pem`; undefined when there is none that can be read. */
export function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** Whether the private key in `pem` is that of `certificate`. */
export function isKeyOf(certificate: X509Certificate, pem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(pem))
  } catch {
    return false
  }
}
