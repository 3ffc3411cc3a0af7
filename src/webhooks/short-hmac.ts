/**
 * HMAC-SHA256 (RFC 2104) of what is no longer than a webhook, made of two hashes in one call each: `createHmac` makes an
 * object with a stream around it, which takes longer than to hash an event. The tests hold it to `createHmac`.
 */
import {createHash, hash} from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/** Ours: for longer messages the object no longer matters, and copying them would. */
export const MOST_SHORT_BYTES = 16 * 1024

/** Where a message is put together: one after the other, never two. */
let message: Buffer | undefined

export class ShortHmac {
  private readonly innerPad: Buffer
  /** The outer pad, and room for the inner digest. */
  private readonly outer: Buffer

  constructor(secret: string) {
    const bytes = Buffer.from(secret)
    const key = Buffer.alloc(BLOCK_BYTES)
    key.set(bytes.length > BLOCK_BYTES ? createHash('sha256').update(bytes).digest() : bytes)
    this.innerPad = Buffer.from(key.map(byte => byte ^ 0x36))
    this.outer = Buffer.concat([key.map(byte => byte ^ 0x5c), Buffer.alloc(DIGEST_BYTES)])
  }

  /** Writes the digest of `start` (ASCII) and `rest`, together at most MOST_SHORT_BYTES, to the beginning of `into`. */
  digest(start: string, rest: Uint8Array, into: Buffer): void {
    message ??= Buffer.allocUnsafeSlow(BLOCK_BYTES + MOST_SHORT_BYTES)
    message.set(this.innerPad)
    const at = BLOCK_BYTES + message.write(start, BLOCK_BYTES)
    message.set(rest, at)
    // As text, which for so few bytes takes half as long as a buffer of their own.
    this.outer.write(hash('sha256', message.subarray(0, at + rest.length), 'binary'), BLOCK_BYTES, 'latin1')
    into.write(hash('sha256', this.outer, 'binary'), 'latin1')
  }
}
