/** Certificate authorities that deliveries trust: the system's roots, and those in files that may appear while the sandbox runs. */
import {closeSync, constants, fstatSync, openSync} from 'node:fs'
import * as tls from 'node:tls'
import {readPem} from '../../storage/files.js'

/** The context for the next connection, new when a file has changed; undefined, the runtime's default, without any file. */
export function createTrust(caFiles: readonly string[]): () => tls.SecureContext | undefined {
  let known = ''
  let context: tls.SecureContext | undefined
  return () => {
    const texts = caFiles.flatMap(readOwn)
    const together = texts.join('\n')
    if (together !== known) {
      context = texts.length === 0 ? undefined : contextWith(texts)
      known = together
    }
    return context
  }
}

/** Passing `ca` replaces the default roots, so they are listed again. Undefined when a file holds no certificate. */
function contextWith(texts: readonly string[]): tls.SecureContext | undefined {
  try {
    return tls.createSecureContext({ca: [...defaultCertificates(), ...texts], minVersion: 'TLSv1.2'})
  } catch {
    return undefined
  }
}

function defaultCertificates(): readonly string[] {
  // Node 22.15 and later list them, with NODE_EXTRA_CA_CERTS and, if enabled, the system's own store.
  const {getCACertificates} = tls as {getCACertificates?: (type: 'default') => string[]}
  if (getCACertificates) return getCACertificates('default')
  const {NODE_EXTRA_CA_CERTS: extra} = process.env
  try {
    return extra ? [...tls.rootCertificates, readPem(extra)] : tls.rootCertificates
  } catch {
    return tls.rootCertificates
  }
}

const {O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0} = constants

/** A file of ours is a regular file: a link could lead to another user's, and a pipe would block. */
function readOwn(file: string): string[] {
  let opened: number | undefined
  try {
    opened = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    return fstatSync(opened).isFile() ? [readPem(opened)] : []
  } catch {
    return []
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
