/** Whom a connection to a receiver trusts: a `listen --tls` on this machine too, by its authority in our directory. */
import {lstatSync} from 'node:fs'
import {join} from 'node:path'
import {isLoopbackHost} from '../../../api/http/loopback.js'
import {LISTEN_CA_NAME} from '../../../state/file-names.js'
import {readPem} from '../../../storage/files.js'
import {parseCertificate} from '../../../webhooks/receive/certificate.js'
import {trustedCertificates} from '../../session/trust.js'

export interface TrustParts {
  /** `--ca-file`: what it names is then all that is added. */
  readonly caFile: string | undefined
  readonly env: NodeJS.ProcessEnv
  /** The configuration directory. */
  readonly directory: string
}

/** As `trustedCertificates`, for connections to `url` alone. Throws usage for a bad --ca-file. */
export async function trustedFor(
  url: string,
  {caFile, env, directory}: TrustParts,
): Promise<string[] | undefined> {
  const {protocol, hostname} = new URL(url)
  const own = join(directory, LISTEN_CA_NAME)
  const isOurs = protocol === 'https:' && isLoopbackHost(hostname) && isCertificateFile(own)
  return trustedCertificates(caFile ?? (isOurs ? own : undefined), env)
}

/** Whether a certificate lies at `path` itself: a symbolic link there is not followed. */
function isCertificateFile(path: string): boolean {
  try {
    return lstatSync(path).isFile() && parseCertificate(readPem(path)) !== undefined
  } catch {
    return false
  }
}
