/**
 * The key with which this machine signs pages: an Ed25519 key in the configuration directory, which is created when
 * first needed.
 */
import {createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject} from 'node:crypto'
import {join} from 'node:path'
import {CERTIFY_KEY_NAME} from '../../../state/file-names.js'
import {StorageError} from '../../../storage/errors.js'
import {
  ensurePrivateDirectory,
  readPem,
  requireOwnFile,
  tighten,
  writeWholeFile,
} from '../../../storage/files.js'

/**
 * Returns the key, or undefined if there is none yet. Throws a StorageError if the file contains no such key or belongs
 * to another user.
 */
export function readSigningKey(directory: string): KeyObject | undefined {
  const path = join(directory, CERTIFY_KEY_NAME)
  const stats = requireOwnFile(path)
  if (stats === undefined) return undefined
  tighten(path, stats)
  const key = keyIn(path)
  if (key?.asymmetricKeyType === 'ed25519') return key
  const hint = 'move it away: the next sheet makes a new key'
  throw new StorageError('not_ours', `${path} is not a key that signs sheets`, hint)
}

function keyIn(path: string): KeyObject | undefined {
  try {
    return createPrivateKey(readPem(path))
  } catch {
    return undefined
  }
}

/** Returns the key, creating it if there is none. Throws a StorageError if that fails. */
export async function signingKey(directory: string): Promise<KeyObject> {
  const kept = readSigningKey(directory)
  if (kept !== undefined) return kept
  ensurePrivateDirectory(directory)
  const pem = generateKeyPairSync('ed25519').privateKey.export({type: 'pkcs8', format: 'pem'})
  try {
    await writeWholeFile(join(directory, CERTIFY_KEY_NAME), [Buffer.from(pem)], {existing: 'create'})
  } catch (error) {
    // Another process may have created it in the meantime.
    const made = readSigningKey(directory)
    if (made === undefined) throw error
    return made
  }
  return createPrivateKey(pem)
}

/** Returns the public key in base64 (SPKI, DER), as a signed page contains it. */
export function publicText(key: KeyObject): string {
  return createPublicKey(key).export({type: 'spki', format: 'der'}).toString('base64')
}
