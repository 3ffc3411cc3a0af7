/** The certificate of `listen`: a given or a self-made one. */
import {join} from 'node:path'
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
import {
  isKeyOf,
  isUsableAuthority,
  type KeyPair,
  makeAuthority,
  makeCertificate,
  parseCertificate,
} from '../../../webhooks/receive/certificate.js'
import {readBytes} from '../../input/files.js'
import type {ListenFlags} from './listen-flags.js'

const LOCK_MILLISECONDS = 10_000

/** Certificate and key for `host`, or undefined for plain http. Throws usage. */
export async function listenIdentity(
  {tls, cert, key}: Pick<ListenFlags, 'tls' | 'cert' | 'key'>,
  host: string,
  directory: string,
  now: number,
): Promise<KeyPair | undefined> {
  if (cert !== undefined && key !== undefined) return readIdentity(cert, key)
  return tls ? makeCertificate(await ownAuthority(directory, now), host, now) : undefined
}

async function readIdentity(certFile: string, keyFile: string): Promise<KeyPair> {
  const cert = await readPemText('--cert', certFile)
  const key = await readPemText('--key', keyFile)
  const certificate = parseCertificate(cert)
  if (!certificate) throw usage('invalid_certificate', '--cert: not a readable PEM certificate')
  if (isKeyOf(certificate, key)) return {cert, key}
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
  const lock = {directory, kind: 'listen-ca', key: LISTEN_CA_NAME}
  const done = await withLock({...lock, waitMilliseconds: LOCK_MILLISECONDS}, async () => {
    const kept = readAuthority(directory)
    if (kept && isUsableAuthority(kept, now)) return kept
    const made = await makeAuthority(now)
    writeWholeFile(join(directory, LISTEN_CA_KEY_NAME), Buffer.from(made.key), {existing: 'replace'})
    writeWholeFile(join(directory, LISTEN_CA_NAME), Buffer.from(made.cert), {existing: 'replace'})
    return made
  })
  if (!done.gaveUp) return done.value
  throw new StorageError('busy', `another process is creating ${LISTEN_CA_NAME}`, 'run the command again')
}

function readAuthority(directory: string): KeyPair | undefined {
  try {
    const [cert, key] = [LISTEN_CA_NAME, LISTEN_CA_KEY_NAME].map(name => readPem(join(directory, name)))
    return cert !== undefined && key !== undefined ? {cert, key} : undefined
  } catch {
    return undefined
  }
}
