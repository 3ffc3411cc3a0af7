/**
 * The URL of `text`, undefined when it is none. Not `URL.canParse`: on Node 20 and 22, once it was called some thousand times,
 * it denies every URL with a letter such as ü.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
