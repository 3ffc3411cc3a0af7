/**
 * Functions for the headers of a webhook request. In a HeaderMap, names are in lower case, and a header that occurred
 * more than once has a list of values.
 */

/** The names of the headers with the signature and the event id (§6.2), in upper or lower case. */
export interface WebhookHeaderNames {
  readonly signature: string
  readonly eventId: string
}

/** Returns the names in lower case, as `checkArrival` needs them. */
export function lowerCaseNames({signature, eventId}: WebhookHeaderNames): WebhookHeaderNames {
  return {signature: signature.toLowerCase(), eventId: eventId.toLowerCase()}
}

export type HeaderMap = Readonly<Record<string, string | readonly string[]>>

/** Collects headers from pairs of name and value. A name that occurs more than once keeps all its values. */
export function gatherHeaders(pairs: Iterable<readonly [string, string]>): HeaderMap {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    const before = headers[key]
    if (before === undefined) headers[key] = value
    else if (typeof before === 'string') headers[key] = [before, value]
    else before.push(value)
  }
  return headers
}

/**
 * Returns the value of the header `name`, whatever its case. Returns an array if the header occurred more than once.
 */
export function headerOf(headers: HeaderMap, name: string): string | readonly string[] | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(headers, key) ? headers[key] : undefined
}

/** Converts a list of names and values in turn to pairs. It uses a loop, because flatMap takes twenty times as long. */
export function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let n = 0; n < rawHeaders.length; n += 2)
    pairs.push([rawHeaders[n] as string, rawHeaders[n + 1] as string])
  return pairs
}
