/** Where received events may be handed to: https anywhere, plain http on this machine alone. */

/** The address as it is used, without fragment; undefined when it is none that may be. */
export function parseForwardTarget(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return undefined
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) return undefined
  url.hash = ''
  return url.href
}

/** URL has brought every spelling of an IPv4 address into dotted form by now. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
