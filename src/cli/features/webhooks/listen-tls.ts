/** The certificate of `listen`: a given one, or one signed by an authority that is made on this machine. */
import {createPrivateKey, KeyObject, webcrypto, X509Certificate} from 'node:crypto'
import {lookup} from 'node:dns/promises'
import {BlockList, isIP} from 'node:net'
import {hostname, networkInterfaces} from 'node:os'
import {join} from 'node:path'
import {createSecureContext} from 'node:tls'
import {AsnConvert} from '@peculiar/asn1-schema'
import {GeneralName, GeneralSubtree, GeneralSubtrees, NameConstraints} from '@peculiar/asn1-x509'
import * as x509 from '@peculiar/x509'
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

type KeyPair = Readonly<Record<'cert' | 'key', string>>

/** A certificate with its key, and from when until when it is valid (Unix seconds). */
export interface Identity extends KeyPair {
  readonly beginsAt: number
  readonly endsAt: number
}

/**
 * Returns certificate and key for --host, or undefined for plain http. `warn` reports that a new authority replaces one that may
 * be trusted somewhere. Throws a usage error if a file cannot be used.
 */
export async function listenIdentity(
  {tls, cert, key, host}: Pick<ListenFlags, 'tls' | 'cert' | 'key' | 'host'>,
  directory: string,
  now: number,
  warn: (text: string) => void,
): Promise<Identity | undefined> {
  if (cert !== undefined && key !== undefined) return readIdentity(cert, key)
  if (!tls) return undefined
  const own = await ownHost(host)
  const pair = await makeCertificate(await ownAuthority(directory, own, now, warn), own, now)
  return {...pair, ...validityOf(new X509Certificate(pair.cert))}
}

function validityOf({validFrom, validTo}: X509Certificate) {
  return {beginsAt: Date.parse(validFrom) / 1000, endsAt: Date.parse(validTo) / 1000}
}

async function readIdentity(certFile: string, keyFile: string): Promise<Identity> {
  // PEM itself is ASCII, but the text around it may have any encoding.
  const read = async (flag: string, path: string) =>
    Buffer.from(await readBytes(flag, path, MOST_PEM_BYTES)).toString('latin1')
  const cert = await read('--cert', certFile)
  const key = await read('--key', keyFile)
  const certificate = unlessItThrows(() => new X509Certificate(cert))
  if (!certificate) throw usage('invalid_certificate', '--cert: not a readable PEM certificate')
  if (!unlessItThrows(() => certificate.checkPrivateKey(createPrivateKey(key)))) {
    const problem = '--key: not the private key of --cert, as PEM without a passphrase'
    throw usage('invalid_key', problem, 'pass the key that was created with the certificate')
  }
  try {
    // What a server does with them: it reads the whole chain, and has a lower limit for the size of a key.
    createSecureContext({cert, key})
  } catch (error) {
    const {reason, message} = error as Error & {readonly reason?: string}
    const hint =
      'pass the whole certificate with its chain, and a key of at least 2048 bits (RSA) or 256 bits (EC)'
    throw usage('invalid_certificate', `--cert: no server can use it (${reason ?? message})`, hint)
  }
  return {cert, key, ...validityOf(certificate)}
}

function unlessItThrows<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/**
 * Returns the authority in `directory` for `host`, or creates one if none is usable. A lock keeps parallel processes from
 * creating several.
 */
async function ownAuthority(
  directory: string,
  host: string | undefined,
  now: number,
  warn: (text: string) => void,
): Promise<KeyPair> {
  ensurePrivateDirectory(directory)
  for (const name of [LISTEN_CA_NAME, LISTEN_CA_KEY_NAME]) {
    const stats = requireOwnFile(join(directory, name))
    if (stats) tighten(join(directory, name), stats)
  }
  const lock = {directory, kind: 'listen-ca', key: LISTEN_CA_NAME, waitMilliseconds: 10_000}
  const done = await withLock(lock, async () => {
    const kept = readAuthority(directory, host, now)
    if (kept && kept.problem === undefined) return kept.pair
    const authority = await makeAuthority(now, host)
    const put = (name: string, pem: string) =>
      writeWholeFile(join(directory, name), [Buffer.from(pem)], {existing: 'replace'})
    await put(LISTEN_CA_KEY_NAME, authority.key)
    // The previous authority is kept, because a running listener may still use a certificate of it.
    await put(LISTEN_CA_NAME, authority.cert + (kept?.isLimited ? kept.pair.cert : ''))
    if (kept) {
      const advice = `trust it where you trusted the other: ${join(directory, LISTEN_CA_NAME)}`
      warn(`Warning: the authority of --tls ${kept.problem}, so a new one was made; ${advice}`)
    }
    return authority
  })
  if (!done.gaveUp) return done.value
  throw new StorageError('busy', `another process is creating ${LISTEN_CA_NAME}`, 'run the command again')
}

const DAY_SECONDS = 24 * 3600
const AUTHORITY_DAYS = 730
/** An authority that expires sooner is replaced. */
const RENEWED_DAYS = 30
const CERTIFICATE_DAYS = 397

/**
 * Reads the stored authority; undefined unless certificate and key are readable and belong together. `problem` says why it can no
 * longer be used. `isLimited` says that it can only sign names of this machine and has not expired.
 */
function readAuthority(directory: string, host: string | undefined, now: number) {
  const pair = unlessItThrows(() => {
    // The file may contain previous authorities after it.
    const cert = new X509Certificate(readPem(join(directory, LISTEN_CA_NAME)))
    const key = readPem(join(directory, LISTEN_CA_KEY_NAME))
    return cert.ca && cert.checkPrivateKey(createPrivateKey(key)) ? {cert: cert.toString(), key} : undefined
  })
  if (pair === undefined) return undefined
  const certificate = new x509.X509Certificate(pair.cert)
  const begins = certificate.notBefore.getTime() / 1000
  const ends = certificate.notAfter.getTime() / 1000
  const permitted = permittedNames(certificate)
  const isLong = ends - begins > (AUTHORITY_DAYS + 2) * DAY_SECONDS
  let problem: string | undefined
  if (permitted === undefined || isLong)
    problem = 'was made by an earlier version and could sign for any host'
  else if (ends < now + RENEWED_DAYS * DAY_SECONDS) problem = `ends on ${isoTime(ends).slice(0, 10)}`
  else if (host !== undefined && !permits(permitted, host)) problem = `cannot sign for ${host}`
  return {pair, problem, isLimited: permitted !== undefined && ends > now}
}

/** Returns `--host` in the form of a certificate; undefined for a wildcard address or a host that is not this machine. */
async function ownHost(host: string): Promise<string | undefined> {
  const name = host.toLowerCase()
  const found =
    isIP(name) > 0 ? [name] : (await lookup(name, {all: true}).catch(() => [])).map(({address}) => address)
  const own = Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({address}) => address))
  const isOwn = (address: string) => kindOfAddress(address) === 'loopback' || own.includes(address)
  return found.length > 0 && found.every(isOwn) && !name.includes('%') ? name : undefined
}

/** Returns the network name of this machine; undefined if a certificate cannot contain it. */
function machineName(): string | undefined {
  const name = hostname().toLowerCase()
  const isName = /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/.test(name)
  return isName && isIP(name) === 0 ? name : undefined
}

const NAME_CONSTRAINTS = '2.5.29.30'

/** Returns the names and ranges that a certificate can sign for; undefined if it has no limit. */
function permittedNames(certificate: x509.X509Certificate): string[] | undefined {
  const extension = certificate.getExtension(NAME_CONSTRAINTS)
  if (!extension?.critical) return undefined
  const {permittedSubtrees} = AsnConvert.parse(extension.value, NameConstraints)
  return permittedSubtrees?.map(({base}) => base.dNSName ?? base.iPAddress ?? '')
}

function permits(permitted: readonly string[], host: string): boolean {
  if (kindOfAddress(host) === 'loopback' || permitted.includes(host)) return true
  if (isIP(host) === 0) return false
  const family = isIP(host) === 4 ? 'ipv4' : 'ipv6'
  const addresses = new BlockList()
  for (const range of permitted) {
    const [address = '', bits] = range.split('/')
    if (isIP(address) === isIP(host)) addresses.addSubnet(address, Number(bits), family)
  }
  return addresses.check(host, family)
}

/**
 * Makes a new authority; `now` is in Unix seconds. It can only sign certificates for servers on this machine and for `host`, and
 * no other authorities, so a stolen key is useless against other hosts.
 */
export async function makeAuthority(now: number, host?: string): Promise<KeyPair> {
  const names = ['localhost', '127.0.0.0/8', '::1/128']
  const ofMachine = machineName()
  if (ofMachine !== undefined && ofMachine !== 'localhost') names.push(ofMachine)
  if (host !== undefined && !permits(names, host))
    names.push(isIP(host) === 0 ? host : `${host}/${isIP(host) === 4 ? 32 : 128}`)
  const subtrees = names.map(name => {
    const base = new GeneralName(name.includes('/') ? {iPAddress: name} : {dNSName: name})
    return new GeneralSubtree({base})
  })
  const limits = new NameConstraints({permittedSubtrees: new GeneralSubtrees(subtrees)})
  return makePair('bookctl webhooks listen, made on this machine', now, now + AUTHORITY_DAYS * DAY_SECONDS, [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.Extension(NAME_CONSTRAINTS, true, AsnConvert.serialize(limits)),
  ])
}

/** Makes a certificate, signed by `authority`, for `localhost`, the loopback addresses, the name of this machine and `host`. */
export async function makeCertificate(
  authority: KeyPair,
  host: string | undefined,
  now: number,
): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(authority.cert)
  const names = new Set(['localhost', '127.0.0.1', '::1'])
  const ofMachine = machineName()
  // A single name that the authority may not sign would make the whole certificate invalid.
  if (ofMachine !== undefined && permits(permittedNames(issuer) ?? [], ofMachine)) names.add(ofMachine)
  if (host !== undefined) names.add(host)
  const altNames = [...names].map(value => ({
    type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const),
    value,
  }))
  const ends = Math.min(now + CERTIFICATE_DAYS * DAY_SECONDS, issuer.notAfter.getTime() / 1000)
  const extensions = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(altNames),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ]
  return makePair('localhost', now, ends, extensions, authority)
}

const SIGNING = {name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256'} as const

/** Makes a certificate and its key, signed by `authority` or by itself. It expires at `ends`, in Unix seconds. */
async function makePair(
  name: string,
  now: number,
  ends: number,
  extensions: x509.Extension[],
  authority?: KeyPair,
): Promise<KeyPair> {
  const {subtle} = webcrypto
  const keys = await subtle.generateKey(SIGNING, true, ['sign', 'verify'])
  const subject = [{CN: [name]}]
  let issuer: x509.JsonName = subject
  let signingKey = keys.privateKey
  if (authority) {
    issuer = new x509.X509Certificate(authority.cert).subjectName.toJSON()
    const der = createPrivateKey(authority.key).export({type: 'pkcs8', format: 'der'})
    signingKey = await subtle.importKey('pkcs8', der, SIGNING, false, ['sign'])
  }
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer,
    // Valid from yesterday on, for clocks that are slow.
    notBefore: new Date((now - DAY_SECONDS) * 1000),
    notAfter: new Date(ends * 1000),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey,
    // Several authorities have the same name, so their key identifiers distinguish them.
    extensions: [...extensions, await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)],
  })
  const key = KeyObject.from(keys.privateKey).export({type: 'pkcs8', format: 'pem'})
  return {cert: `${certificate.toString('pem')}\n`, key: String(key)}
}
