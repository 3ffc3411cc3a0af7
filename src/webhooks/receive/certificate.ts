/** A self-made certificate for a receiver on this machine, and the authority that signs it. */
import {createPrivateKey, X509Certificate} from 'node:crypto'
import {isIP} from 'node:net'
import type {SelfsignedOptions} from 'selfsigned'

/** Both as PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

const DAY_SECONDS = 24 * 3600
/** The authority is replaced early enough to outlive every certificate it signs. */
const AUTHORITY_DAYS = 3650
const CERTIFICATE_DAYS = 397
const NAME = 'bookctl webhooks listen, made on this machine'

/** A new authority; `now` is Unix seconds. It can sign receivers' certificates, but no other authorities. */
export function makeAuthority(now: number): Promise<KeyPair> {
  return makePair(NAME, now, AUTHORITY_DAYS, [
    {name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true},
    {name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true},
  ])
}

/** A certificate for `localhost`, the loopback addresses and `host`, signed by `authority`. */
export function makeCertificate(authority: KeyPair, host: string, now: number): Promise<KeyPair> {
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])]
  const altNames = names.map(name =>
    isIP(name) === 0 ? {type: 2 as const, value: name} : {type: 7 as const, ip: name},
  )
  const extensions = [
    {name: 'basicConstraints' as const, cA: false, critical: true},
    {name: 'keyUsage' as const, digitalSignature: true, critical: true},
    {name: 'extKeyUsage' as const, serverAuth: true},
    {name: 'subjectAltName' as const, altNames},
  ]
  return makePair('localhost', now, CERTIFICATE_DAYS, extensions, authority)
}

async function makePair(
  name: string,
  now: number,
  days: number,
  extensions: NonNullable<SelfsignedOptions['extensions']>,
  ca?: KeyPair,
): Promise<KeyPair> {
  const {generate} = await import('selfsigned')
  const {cert, private: key} = await generate([{name: 'commonName', value: name}], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions,
    // From yesterday on, for slow clocks.
    notBeforeDate: new Date((now - DAY_SECONDS) * 1000),
    notAfterDate: new Date((now + days * DAY_SECONDS) * 1000),
    ...(ca ? {ca} : {}),
  })
  return {cert, key}
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
