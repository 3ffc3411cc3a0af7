/** The certificate of `listen`: a given one, or a self-made one and the authority of this machine that signs it. */
import {createPrivateKey, X509Certificate} from 'node:crypto'
import {isIP} from 'node:net'
import {join} from 'node:path'
import type {SelfsignedOptions} from 'selfsigned'
import {usage} from '../../../contract/failure.js'
import {LISTEN_CA_KEY_NAME, LISTEN_CA_NAME} from '../../../state/file-names.js'
import {StorageError} from '../../../storage/errors.js'
import {
  ensurePrivateDirectory,
  MOST_PEM_BYTES,
  readPem,
  requireOwnFile,
  tighten,
  writeWholeFile,
} from '../../../storage/files.js'
import {withLock} from '../../../storage/lock.js'
import {readBytes} from '../../input/files.js'
import type {ListenFlags} from './listen-flags.js'

/** Certificate and key for --host, or undefined for plain http. Throws usage. */
export async function listenIdentity({tls, cert, key, host}: ListenFlags, directory: string, now: number) {
  if (cert !== undefined && key !== undefined) return readIdentity(cert, key)
  return tls ? makeCertificate(await ownAuthority(directory, now), host, now) : undefined
}

async function readIdentity(certFile: string, keyFile: string): Promise<KeyPair> {
  const cert = await readPemText('--cert', certFile)
  const key = await readPemText('--key', keyFile)
  const certificate = tried(() => new X509Certificate(cert))
  if (!certificate) throw usage('invalid_certificate', '--cert: not a readable PEM certificate')
  if (tried(() => certificate.checkPrivateKey(createPrivateKey(key)))) return {cert, key}
  const problem = '--key: not the private key of --cert, as PEM without a passphrase'
  throw usage('invalid_key', problem, 'pass the key that was created with the certificate')
}

/** PEM is ASCII; the text around it may be in any encoding. */
async function readPemText(flag: string, path: string): Promise<string> {
  return Buffer.from(await readBytes(flag, path, MOST_PEM_BYTES)).toString('latin1')
}

/** The authority in `directory`, created if there is no usable one; parallel processes create one. */
async function ownAuthority(directory: string, now: number): Promise<KeyPair> {
  ensurePrivateDirectory(directory)
  for (const name of [LISTEN_CA_NAME, LISTEN_CA_KEY_NAME]) {
    const stats = requireOwnFile(join(directory, name))
    if (stats) tighten(join(directory, name), stats)
  }
  const lock = {directory, kind: 'listen-ca', key: LISTEN_CA_NAME, waitMilliseconds: 10_000}
  const done = await withLock(lock, async () => {
    const kept = readAuthority(directory, now)
    if (kept) return kept
    const authority = await makeAuthority(now)
    const put = (name: string, pem: string) =>
      writeWholeFile(join(directory, name), [Buffer.from(pem)], {existing: 'replace'})
    await put(LISTEN_CA_KEY_NAME, authority.key)
    await put(LISTEN_CA_NAME, authority.cert)
    return authority
  })
  if (!done.gaveUp) return done.value
  throw new StorageError('busy', `another process is creating ${LISTEN_CA_NAME}`, 'run the command again')
}

/** Undefined unless cert and key can be read, belong together, and outlive what they sign from `now` on. */
function readAuthority(directory: string, now: number): KeyPair | undefined {
  return tried(() => {
    const cert = readPem(join(directory, LISTEN_CA_NAME))
    const key = readPem(join(directory, LISTEN_CA_KEY_NAME))
    const certificate = new X509Certificate(cert)
    const lasts = Date.parse(certificate.validTo) / 1000 > now + CERTIFICATE_DAYS * DAY_SECONDS
    const isPair = certificate.checkPrivateKey(createPrivateKey(key))
    return certificate.ca && lasts && isPair ? {cert, key} : undefined
  })
}

/** The result of `work`; undefined when it throws. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Both as PEM. */
type KeyPair = Readonly<Record<'cert' | 'key', string>>

const DAY_SECONDS = 24 * 3600
/** The authority is replaced early enough to outlive every certificate it signs. */
const AUTHORITY_DAYS = 3650
const CERTIFICATE_DAYS = 397

/** A new authority; `now` is Unix seconds. It can sign receivers' certificates, but no other authorities. */
export function makeAuthority(now: number): Promise<KeyPair> {
  return makePair('bookctl webhooks listen, made on this machine', now, AUTHORITY_DAYS, [
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
