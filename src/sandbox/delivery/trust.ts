/** Certificate authorities that deliveries trust: the system's roots, and one in a file that may appear while the sandbox runs. */
import * as tls from 'node:tls'
import {readPem, requireOwnFile} from '../../storage/files.js'

/** The context for the next connection, new when the file has changed; undefined, the runtime's default, without one. */
export function createTrust(caFile: string | undefined): () => tls.SecureContext | undefined {
  let known: string | undefined
  let context: tls.SecureContext | undefined
  return () => {
    const text = caFile === undefined ? undefined : readOwn(caFile)
    if (text !== known) context = text === undefined ? undefined : contextWith(text)
    known = text
    return context
  }
}

/** Passing `ca` replaces the default roots, so they are listed again. Undefined when the file holds no certificate. */
function contextWith(text: string): tls.SecureContext | undefined {
  return orUndefined(() =>
    tls.createSecureContext({ca: [...defaultCertificates(), text], minVersion: 'TLSv1.2'}),
  )
}

function defaultCertificates(): readonly string[] {
  // Node 22.15 and later list them, with NODE_EXTRA_CA_CERTS and, if enabled, the system's own store.
  const {getCACertificates} = tls as {getCACertificates?: (type: 'default') => string[]}
  if (getCACertificates) return getCACertificates('default')
  const {NODE_EXTRA_CA_CERTS: file} = process.env
  const extra = file && orUndefined(() => readPem(file))
  return extra ? [...tls.rootCertificates, extra] : tls.rootCertificates
}

/** A file of ours is a regular file: a link could lead to another user's, and a pipe would block. */
function readOwn(file: string): string | undefined {
  return orUndefined(() => (requireOwnFile(file) ? readPem(file) : undefined))
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
