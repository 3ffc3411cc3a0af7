/** The certificate of `listen`: a given one, or a self-made one and the authority of this machine that signs it. */
import {createPrivateKey, createPublicKey, KeyObject, webcrypto, X509Certificate} from 'node:crypto'
import {lookup} from 'node:dns/promises'
import {isIP} from 'node:net'
import {hostname, networkInterfaces} from 'node:os'
import {join} from 'node:path'
import type {Extension} from '@peculiar/x509'
import {isoTime} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {kindOfAddress} from '../../../contract/network.js'
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

/**
 * Certificate and key for --host, or undefined for plain http. `tell` gets a warning when a new authority replaces one that
 * may be trusted somewhere. Throws usage.
 */
export async function listenIdentity(
  {tls, cert, key, host}: ListenFlags,
  directory: string,
  now: number,
  tell: (text: string) => void,
) {
  if (cert !== undefined && key !== undefined) return readIdentity(cert, key)
  if (!tls) return undefined
  const own = await ownHost(host)
  return makeCertificate(await ownAuthority(directory, own, now, tell), own, now)
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

/** The authority in `directory` for `host`, created if there is no usable one; parallel processes create one. */
async function ownAuthority(
  directory: string,
  host: string | undefined,
  now: number,
  tell: (text: string) => void,
): Promise<KeyPair> {
  ensurePrivateDirectory(directory)
  for (const name of [LISTEN_CA_NAME, LISTEN_CA_KEY_NAME]) {
    const stats = requireOwnFile(join(directory, name))
    if (stats) tighten(join(directory, name), stats)
  }
  const lock = {directory, kind: 'listen-ca', key: LISTEN_CA_NAME, waitMilliseconds: 10_000}
  const done = await withLock(lock, async () => {
    const kept = await readAuthority(directory, host, now)
    if (kept && kept.problem === undefined) return kept.pair
    const authority = await makeAuthority(now, host)
    const put = (name: string, pem: string) =>
      writeWholeFile(join(directory, name), [Buffer.from(pem)], {existing: 'replace'})
    await put(LISTEN_CA_KEY_NAME, authority.key)
    // What a running listener shows is signed by the one before.
    await put(LISTEN_CA_NAME, authority.cert + (kept?.isLimited ? kept.pair.cert : ''))
    if (kept)
      tell(
        `Warning: the authority of --tls ${kept.problem}, so a new one was made; trust it where you trusted the other: ${join(directory, LISTEN_CA_NAME)}`,
      )
    return authority
  })
  if (!done.gaveUp) return done.value
  throw new StorageError('busy', `another process is creating ${LISTEN_CA_NAME}`, 'run the command again')
}

interface Kept {
  readonly pair: KeyPair
  /** Why it is used no more; undefined when it is. */
  readonly problem: string | undefined
  /** Whether it can sign names of this machine alone, and has not ended. */
  readonly isLimited: boolean
}

/** The authority that is there; undefined unless cert and key can be read and belong together. */
async function readAuthority(
  directory: string,
  host: string | undefined,
  now: number,
): Promise<Kept | undefined> {
  const pair = tried(() => {
    // Others may follow it.
    const cert = new X509Certificate(readPem(join(directory, LISTEN_CA_NAME)))
    const key = readPem(join(directory, LISTEN_CA_KEY_NAME))
    return cert.ca && cert.checkPrivateKey(createPrivateKey(key)) ? {cert: cert.toString(), key} : undefined
  })
  if (pair === undefined) return undefined
  const {validFrom, validTo} = new X509Certificate(pair.cert)
  const [begins, ends] = [validFrom, validTo].map(text => Date.parse(text) / 1000) as [number, number]
  const permitted = await permittedBy(pair.cert)
  const isLimited = permitted !== undefined && ends > now
  const needed = await subtreesOf(permittedFor(host, []))
  const isLong = ends - begins > (AUTHORITY_DAYS + 2) * DAY_SECONDS
  const problemOf = () => {
    if (permitted === undefined || isLong) return 'was made by an earlier version and could sign for any host'
    if (ends < now + RENEWED_DAYS * DAY_SECONDS) return `ends on ${isoTime(ends).slice(0, 10)}`
    return needed.every(name => permitted.includes(name)) ? undefined : `cannot sign for ${host}`
  }
  return {pair, problem: problemOf(), isLimited}
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
export type KeyPair = Readonly<Record<'cert' | 'key', string>>

const DAY_SECONDS = 24 * 3600
const AUTHORITY_DAYS = 730
/** An authority with less time left is replaced. */
const RENEWED_DAYS = 30
const CERTIFICATE_DAYS = 397

/** `--host` as a certificate names it; undefined for all addresses, and for a host that is not this machine. */
async function ownHost(host: string): Promise<string | undefined> {
  const name = host.toLowerCase()
  const found =
    isIP(name) > 0 ? [name] : (await lookup(name, {all: true}).catch(() => [])).map(({address}) => address)
  const own = Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({address}) => address))
  const isOwn = (address: string) => kindOfAddress(address) === 'loopback' || own.includes(address)
  return found.length > 0 && found.every(isOwn) && !name.includes('%') ? name : undefined
}

/** The names that an authority may sign: those of this machine, as `subtreesOf` takes them. */
function permittedFor(host: string | undefined, more: readonly string[]): string[] {
  const isLoopback = host === undefined || kindOfAddress(host) === 'loopback'
  const others = isLoopback
    ? more
    : [...more, isIP(host) > 0 ? `${host}/${isIP(host) === 4 ? 32 : 128}` : host]
  return [...new Set(['localhost', '127.0.0.0/8', '::1/128', ...others])]
}

/** The name of this machine in its network, where that is one a certificate can have. */
function machineNames(): string[] {
  const name = hostname().toLowerCase()
  return /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/.test(name) && isIP(name) === 0
    ? [name]
    : []
}

/** Each name, or range of addresses, as name constraints have it, in hex. */
async function subtreesOf(names: readonly string[]): Promise<string[]> {
  const {AsnConvert} = await import('@peculiar/asn1-schema')
  return (await constraintsFor(names)).map(({base}) =>
    Buffer.from(AsnConvert.serialize(base)).toString('hex'),
  )
}

async function constraintsFor(names: readonly string[]) {
  const {GeneralName, GeneralSubtree} = await import('@peculiar/asn1-x509')
  return names.map(name => {
    const base = new GeneralName(name.includes('/') ? {iPAddress: name} : {dNSName: name})
    return new GeneralSubtree({base})
  })
}

const NAME_CONSTRAINTS = '2.5.29.30'

/** What the name constraints of a certificate permit, as `subtreesOf`; undefined where it has none. */
async function permittedBy(pem: string): Promise<string[] | undefined> {
  const [{X509Certificate: Certificate}, {AsnConvert}, {NameConstraints}] = await Promise.all([
    import('@peculiar/x509'),
    import('@peculiar/asn1-schema'),
    import('@peculiar/asn1-x509'),
  ])
  const extension = new Certificate(pem).getExtension(NAME_CONSTRAINTS)
  if (!extension?.critical) return undefined
  const {permittedSubtrees} = AsnConvert.parse(extension.value, NameConstraints)
  return permittedSubtrees?.map(({base}) => Buffer.from(AsnConvert.serialize(base)).toString('hex'))
}

/**
 * A new authority; `now` is Unix seconds. It can sign certificates of servers on this machine and of `host`, no other names and
 * no other authorities, so its key, if it is stolen, is of use against no other host.
 */
export async function makeAuthority(now: number, host?: string): Promise<KeyPair> {
  const [x509, {AsnConvert}, {GeneralSubtrees, NameConstraints}] = await Promise.all([
    import('@peculiar/x509'),
    import('@peculiar/asn1-schema'),
    import('@peculiar/asn1-x509'),
  ])
  const permitted = await constraintsFor(permittedFor(host, machineNames()))
  const constraints = new NameConstraints({permittedSubtrees: new GeneralSubtrees(permitted)})
  return makePair('bookctl webhooks listen, made on this machine', now, now + AUTHORITY_DAYS * DAY_SECONDS, [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.Extension(NAME_CONSTRAINTS, true, AsnConvert.serialize(constraints)),
  ])
}

/** A certificate for `localhost`, the loopback addresses, the names of this machine and `host`, signed by `authority`. */
export async function makeCertificate(
  authority: KeyPair,
  host: string | undefined,
  now: number,
): Promise<KeyPair> {
  const x509 = await import('@peculiar/x509')
  const permitted = (await permittedBy(authority.cert)) ?? []
  // One name that the authority may not sign spoils all the others.
  const named = await Promise.all(
    machineNames().map(async name => (permitted.includes((await subtreesOf([name]))[0] ?? '') ? [name] : [])),
  )
  const names = new Set([
    'localhost',
    '127.0.0.1',
    '::1',
    ...named.flat(),
    ...(host === undefined ? [] : [host]),
  ])
  const altNames = [...names].map(value => ({
    type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const),
    value,
  }))
  const authorityEnds = Date.parse(new X509Certificate(authority.cert).validTo) / 1000
  const ends = Math.min(now + CERTIFICATE_DAYS * DAY_SECONDS, authorityEnds)
  const extensions = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(altNames),
  ]
  return makePair('localhost', now, ends, extensions, authority)
}

const SIGNING = {name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256'} as const

async function makePair(
  name: string,
  now: number,
  ends: number,
  extensions: Extension[],
  ca?: KeyPair,
): Promise<KeyPair> {
  const x509 = await import('@peculiar/x509')
  const {subtle} = webcrypto
  const keys = await subtle.generateKey(SIGNING, true, ['sign', 'verify'])
  const own = [{CN: [name]}]
  const issuer = ca && {
    name: new x509.X509Certificate(ca.cert).subjectName.toJSON(),
    key: await subtle.importKey('pkcs8', exported(createPrivateKey(ca.key)), SIGNING, false, ['sign']),
    publicKey: await subtle.importKey('spki', exported(createPublicKey(ca.cert)), SIGNING, true, ['verify']),
  }
  const certificate = await x509.X509CertificateGenerator.create({
    subject: own,
    issuer: issuer?.name ?? own,
    // From yesterday on, for slow clocks.
    notBefore: new Date((now - DAY_SECONDS) * 1000),
    notAfter: new Date(ends * 1000),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey: issuer?.key ?? keys.privateKey,
    extensions: [
      ...extensions,
      // Several authorities have one name; their keys distinguish them.
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(issuer ? [await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey)] : []),
    ],
  })
  const key = KeyObject.from(keys.privateKey).export({type: 'pkcs8', format: 'pem'})
  return {cert: `${certificate.toString('pem')}\n`, key: String(key)}
}

function exported(key: KeyObject): Buffer {
  return key.export({type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'der'})
}
