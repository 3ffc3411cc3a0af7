/** Base64 of others, read without trust. */

/** The bytes, when all of `text` is base64: Node passes over what is not, which leaves too few. */
export function decodeBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined
}
