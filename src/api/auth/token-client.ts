/** Whose a token is (§5.7): kept for one client at one base URL, and for the secret it was obtained with. */
import {createHash} from 'node:crypto'
import type {Credentials} from './token-request.js'

export interface TokenClient {
  readonly baseUrl: string
  readonly clientId: string
  /** Tells secrets apart without being one: a live token must not serve under a test secret, nor a wrong one. */
  readonly secretFingerprint: string
}

/** Hexadecimal digits of the fingerprint: enough to tell secrets apart. */
const FINGERPRINT_LENGTH = 16

/** The client of `credentials` at `baseUrl`. */
export function tokenClientOf(baseUrl: string, credentials: Credentials): TokenClient {
  const {clientId, clientSecret} = credentials
  const hash = createHash('sha256').update(`${clientId}\n${clientSecret}`).digest('hex')
  return {baseUrl, clientId, secretFingerprint: hash.slice(0, FINGERPRINT_LENGTH)}
}
