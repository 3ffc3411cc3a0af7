/** Certificate authorities that deliveries trust: the system's roots, and one in a file that may appear while the sandbox runs. */
import * as tls from 'node:tls'
import {TLS_RULES} from '../../contract/network.js'
import {readPem, requireOwnFile} from '../../storage/files.js'

/** The context for the next connection, new when the file has changed; undefined, the runtime's default, without a certificate. */
export function createTrust(caFile: string | undefined): () => tls.SecureContext | undefined {
  let known: string | undefined
  let context: tls.SecureContext | undefined
  return () => {
    // A file of ours is a regular file: a link could lead to another user's, and a pipe would block.
    const text = caFile && orUndefined(() => (requireOwnFile(caFile) ? readPem(caFile) : undefined))
    if (text === known) return context
    known = text
    // Passing `ca` replaces the default roots, so they are listed again.
    const withText = (pem: string) =>
      tls.createSecureContext({...TLS_RULES, ca: [...defaultCertificates(), pem]})
    context = text === undefined ? undefined : orUndefined(() => withText(text))
    return context
  }
}

function defaultCertificates(): readonly string[] {
  // Node 22.15 and later list them, with NODE_EXTRA_CA_CERTS and, if enabled, the system's own store.
  const {getCACertificates} = tls as {getCACertificates?: (type: 'default') => string[]}
  if (getCACertificates) return getCACertificates('default')
  const {NODE_EXTRA_CA_CERTS: file} = process.env
  const extra = file && orUndefined(() => readPem(file))
  return extra ? [...tls.rootCertificates, extra] : tls.rootCertificates
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
