/** Routes: which targets an event is forwarded to, by its type (§6.1). */

/** One `--forward-to`: a target, and the pattern of the types it gets (default: all events). */
export interface Route {
  readonly url: string
  readonly pattern: string | undefined
}

/** A target with the patterns of all its routes; undefined if it gets all events. */
export interface RoutedTarget {
  readonly url: string
  readonly patterns: readonly string[] | undefined
}

/** Returns a target without its query, which may be a secret. Labels, logs and reports show it so. */
export function targetLabel(target: string): string {
  return target.replace(/[?#].*$/s, '')
}

/** Joins the routes of each address into one target, in the order of their first routes. */
export function joinRoutes(routes: readonly Route[]): RoutedTarget[] {
  const urls = [...new Set(routes.map(({url}) => url))]
  return urls.map(url => {
    const patterns = routes.filter(route => route.url === url).map(({pattern}) => pattern)
    const given = patterns.filter(pattern => pattern !== undefined)
    // Without a pattern, one route of the target takes every event, so the others add nothing.
    return {url, patterns: given.length === patterns.length ? [...new Set(given)] : undefined}
  })
}

/** Returns the addresses that an event of `type` is forwarded to. An event without a type goes to targets without patterns. */
export function addressesFor(targets: readonly RoutedTarget[], type: string | null): string[] {
  const isWanted = ({patterns}: RoutedTarget) =>
    patterns === undefined || (type !== null && patterns.some(pattern => matchesType(pattern, type)))
  return targets.filter(isWanted).map(({url}) => url)
}

/** Reports whether `type` matches `pattern`, in which each `*` stands for any characters, also for none. */
export function matchesType(pattern: string, type: string): boolean {
  const [start = '', ...rest] = pattern.split('*')
  const end = rest.pop()
  if (end === undefined) return type === pattern
  if (!type.startsWith(start) || !type.endsWith(end)) return false
  // The text between two stars is found at its first place, so that no pattern makes the search slow.
  let from = start.length
  for (const part of rest) {
    const found = type.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return from <= type.length - end.length
}
