/** Whom TLS connections trust: the system's roots, and what `--ca-file` adds to them. */
import {X509Certificate} from 'node:crypto'
import * as tls from 'node:tls'
import {usage} from '../contract/failure.js'
import {readPem} from '../storage/bounded-read.js'

/**
 * The certificates to trust, or undefined for the runtime's own default. Passing `ca` to TLS replaces the default
 * roots and NODE_EXTRA_CA_CERTS with them, so everything is listed again. Throws a usage Failure for a bad file.
 */
export function trustedCertificates(
  caFile: string | undefined,
  env: NodeJS.ProcessEnv,
): string[] | undefined {
  if (caFile === undefined) return undefined
  return [...defaultCertificates(env), ...readCertificates(caFile)]
}

function defaultCertificates(env: NodeJS.ProcessEnv): readonly string[] {
  // Node 22.15 and later can tell; it includes the extra file and the system's store where that is asked for.
  const {getCACertificates} = tls as {getCACertificates?: (type: 'default') => string[]}
  if (getCACertificates) return getCACertificates('default')
  return [...tls.rootCertificates, ...extraCertificates(env.NODE_EXTRA_CA_CERTS)]
}

/** Node itself warns about an extra file it cannot read and goes on, and so do we. */
function extraCertificates(file: string | undefined): string[] {
  if (!file) return []
  try {
    return [readPem(file)]
  } catch {
    return []
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

function readCertificates(caFile: string): string[] {
  let text: string
  try {
    text = readPem(caFile)
  } catch (error) {
    throw badCaFile(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`)
  }
  const certificates = text.match(PEM_CERTIFICATE) ?? []
  if (certificates.length === 0) throw badCaFile('holds no PEM certificate')
  for (const certificate of certificates) requireParsable(certificate)
  return certificates
}

function requireParsable(certificate: string): void {
  try {
    new X509Certificate(certificate)
  } catch {
    throw badCaFile('holds a certificate that cannot be read')
  }
}

function badCaFile(problem: string) {
  return usage(
    'invalid_ca_file',
    `the file of certificate authorities ${problem}`,
    'give a file of PEM certificates by --ca-file, BOOKCTL_CA_FILE or the setting ca_file',
  )
}
