/** The ways one secret may be written in a request, an answer or a log. */

/** The secret itself, percent-encoded, inside a JSON string, in hex, and in base64 wherever in it it may begin. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const spellings = [
    secret,
    // Half a surrogate pair, which JSON can hold, goes out as U+FFFD.
    bytes.toString(),
    encodeURIComponent(bytes.toString()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap(offset => base64Cores(bytes, offset)),
  ]
  return [...new Set(spellings)].filter(spelling => spelling.length >= Math.min(4, secret.length))
}

/** The base64 characters that depend on the secret alone when it stands `offset` bytes (mod 3) into a longer text. */
function base64Cores(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
  const from = Math.ceil((offset * 8) / 6)
  const to = Math.floor((padded.length * 8) / 6)
  return (['base64', 'base64url'] as const).map(encoding => padded.toString(encoding).slice(from, to))
}
