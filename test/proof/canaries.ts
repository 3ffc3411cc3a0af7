/**
 * What must not be seen, by kind, as it really was on the wire or was typed: harvested from every request and answer, so
 * that nothing has to look like a secret to be found. A canary is looked for in every spelling it may have been given.
 */
import {readdirSync, readFileSync} from 'node:fs'
import {join, relative} from 'node:path'
import {unzipSync} from 'fflate'

export type SecretKind =
  | 'client secret'
  | 'access token'
  | 'signing secret'
  | 'voucher link'
  | 'payment address'
  | 'identity number'

export class Canaries {
  readonly found = new Map<string, SecretKind>([
    ['sk_test_sandbox', 'client secret'],
    ['10000000146', 'identity number'],
    ['U1234567', 'identity number'],
  ])

  /** Takes note of the secrets in something that went over the wire. */
  harvest(text: string): void {
    const add = (kind: SecretKind, pattern: RegExp) => {
      for (const [, secret] of text.matchAll(pattern)) if (secret) this.found.set(secret, kind)
    }
    add('access token', /"access_token":\s*"([^"]+)"/g)
    add('access token', /^authorization: Bearer (.+)$/gim)
    add('signing secret', /(whsec_[\w+/=-]{8,})/g)
    add('voucher link', /\/vouchers\/([\w.~%-]{8,})/g)
    add('payment address', /\/pay\/([\w.~%-]{8,})/g)
  }

  /** The kinds of which there is one in `text`, without those in `allowed`. */
  seenIn(text: string, allowed: readonly SecretKind[] = []): SecretKind[] {
    const kinds = new Set<SecretKind>()
    for (const [secret, kind] of this.found)
      if (!allowed.includes(kind) && spellings(secret).some(spelling => text.includes(spelling)))
        kinds.add(kind)
    return [...kinds]
  }
}

/** As it is, percent-encoded, in hex, and in base64 at each of the three places it may begin. */
function spellings(secret: string): string[] {
  const base64 = [0, 1, 2].map(before => {
    const padded = Buffer.from('\0'.repeat(before) + secret).toString('base64')
    // The first characters mix with what stands before, the last with what follows.
    return padded.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1)
  })
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...base64]
}

/** Every file under `directory` with what is in it; the files of a zip archive one by one. */
export function filesIn(directory: string): {name: string; text: string}[] {
  return (
    readdirSync(directory, {recursive: true, withFileTypes: true})
      .map(entry => ({isFile: entry.isFile(), path: join(entry.parentPath, entry.name)}))
      // Newer Nodes keep our own code compiled, in which the sandbox's well-known secret stands as it does in the bundle.
      .filter(({isFile, path}) => isFile && !path.startsWith(join(directory, '.cache/bookctl/node')))
      .flatMap(({path}) => {
        const bytes = readFileSync(path)
        const name = relative(directory, path)
        if (!name.endsWith('.zip')) return [{name, text: bytes.toString('utf8')}]
        const packed = Object.entries(unzipSync(bytes))
        return packed.map(([inner, part]) => ({
          name: `${name}:${inner}`,
          text: Buffer.from(part).toString('utf8'),
        }))
      })
  )
}
