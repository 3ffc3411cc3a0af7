/** Loads the certificate authorities that TLS connections trust: the system's roots, and those of `--ca-file`. */
import {X509Certificate} from 'node:crypto'
import * as tls from 'node:tls'
import {Failure, usage} from '../../contract/failure.js'
import {sizeText} from '../../contract/limits.js'
import {MOST_PEM_BYTES} from '../../storage/files.js'
import {readFile} from '../input/files.js'

/**
 * The certificates by path. They are cached, because a pipe can be read only once and some commands need them twice.
 */
const read = new Map<string, Promise<string[]>>()

/**
 * Returns the certificates to trust, or undefined for Node's default. In TLS, the option `ca` replaces the default
 * roots and NODE_EXTRA_CA_CERTS, so the result includes them. Throws a usage error for an invalid file.
 */
export async function trustedCertificates(caFile: string | undefined, env: NodeJS.ProcessEnv) {
  if (caFile === undefined) return undefined
  const certificates = read.get(caFile) ?? readCertificates(caFile)
  read.set(caFile, certificates)
  const own = await certificates
  return [...(await defaultCertificates(env)), ...own]
}

async function defaultCertificates(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  // Available since Node 22.15. Includes NODE_EXTRA_CA_CERTS and, with --use-system-ca, the system's store.
  const {getCACertificates} = tls as {getCACertificates?: (type: 'default') => string[]}
  if (getCACertificates) return getCACertificates('default')
  const {NODE_EXTRA_CA_CERTS: extra} = env
  // A file that cannot be read is ignored, because Node itself warns about it.
  const text = extra ? await readPem(extra).catch(() => undefined) : undefined
  return text === undefined ? tls.rootCertificates : [...tls.rootCertificates, text]
}

async function readPem(file: string): Promise<string> {
  const bytes = await readFile(file, MOST_PEM_BYTES)
  if (bytes.length > MOST_PEM_BYTES) throw badCaFile(`is longer than ${sizeText(MOST_PEM_BYTES)}`)
  return bytes.toString('utf8')
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

async function readCertificates(caFile: string): Promise<string[]> {
  const text = await readPem(caFile).catch(error => {
    throw error instanceof Failure || !error.code ? error : badCaFile(`cannot be read (${error.code})`)
  })
  const certificates = text.match(PEM_CERTIFICATE) ?? []
  if (certificates.length === 0) throw badCaFile('contains no PEM certificate')
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
  } catch {
    throw badCaFile('contains an invalid certificate')
  }
  return certificates
}

function badCaFile(problem: string) {
  const hint = 'pass a file of PEM certificates with --ca-file, BOOKCTL_CA_FILE or the setting ca_file'
  return usage('invalid_ca_file', `the CA file ${problem}`, hint)
}
