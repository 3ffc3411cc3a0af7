/**
 * Parses `text`; undefined when it is not a URL. Not `URL.canParse`, which on Node 20 and 22 returns false for every URL with a
 * letter such as ü after a few thousand calls.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
