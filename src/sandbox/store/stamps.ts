/**
 * Identifiers that contain their owner and their expiry: an expired one is recognised without a record of it. One block of AES each, so they reveal nothing and cannot be forged.
 */
import {createCipheriv, createDecipheriv} from 'node:crypto'
import type {Database} from '../../storage/database.js'
import {sha256} from '../base/random.js'
import {readMeta} from './schema.js'

/** `expiresAt` in Unix seconds, to the millisecond; `sequence` below 2^40, `index` below 2^16. */
type Stamp = Readonly<Record<'expiresAt' | 'sequence' | 'index', number>>

/** Of one block in base64url. */
export const STAMP_LENGTH = 22

/** Seals and opens the stamps of `owner`. `open` returns undefined for any other text. */
export function stampsOf(database: Database, owner: string) {
  const key = sha256(`stamps ${readMeta(database, 'voucher_secret')}`).subarray(0, 16)
  const mark = sha256(owner).subarray(0, 3)
  return {
    seal({expiresAt, sequence, index}: Stamp): string {
      const block = Buffer.alloc(16)
      block.writeUIntBE(Math.round(expiresAt * 1000), 0, 6)
      block.writeUIntBE(sequence, 6, 5)
      block.writeUIntBE(index, 11, 2)
      mark.copy(block, 13)
      return createCipheriv('aes-128-ecb', key, null)
        .setAutoPadding(false)
        .update(block)
        .toString('base64url')
    },
    open(text: string): Stamp | undefined {
      const sealed = Buffer.from(text, 'base64url')
      if (sealed.length !== 16 || sealed.toString('base64url') !== text) return undefined
      const block = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(sealed)
      if (!block.subarray(13).equals(mark)) return undefined
      const expiresAt = block.readUIntBE(0, 6) / 1000
      return {expiresAt, sequence: block.readUIntBE(6, 5), index: block.readUIntBE(11, 2)}
    },
  }
}
