/** The headers of a webhook request: names in lower case, and a list of values for one that came more than once. */

/** The headers of the signature and of the event's id (§6.2), in any case. */
export interface WebhookHeaderNames {
  readonly signature: string
  readonly eventId: string
}

export type HeaderMap = Readonly<Record<string, string | readonly string[]>>

/** Gathers name and value pairs; a name that comes again keeps all its values. */
export function gatherHeaders(pairs: Iterable<readonly [string, string]>): HeaderMap {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    const before = headers[key]
    if (before === undefined) headers[key] = value
    else headers[key] = typeof before === 'string' ? [before, value] : [...before, value]
  }
  return headers
}

/** The value of header `name`, in any case of letters; an array when it came more than once. */
export function headerOf(headers: HeaderMap, name: string): string | readonly string[] | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(headers, key) ? headers[key] : undefined
}

/** Pairs of names and values that come in turn. A loop, because flatMap takes twenty times as long. */
export function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let n = 0; n < rawHeaders.length; n += 2)
    pairs.push([rawHeaders[n] as string, rawHeaders[n + 1] as string])
  return pairs
}
