/** Decides by its type (§6.1) to which targets an event is forwarded. */

/** One `--forward-to`: a target, and the pattern of the event types that it gets (default: all events). */
export interface Route {
  readonly url: string
  readonly pattern: string | undefined
}

/** A target and the patterns of all its routes. `patterns` is undefined if it gets all events. */
export interface RoutedTarget {
  readonly url: string
  readonly patterns: readonly string[] | undefined
}

/** Returns a target without its query, which may be a secret. Labels, logs and reports use this form. */
export function targetLabel(target: string): string {
  return target.replace(/[?#].*$/s, '')
}

/** Joins the routes with the same target, in the order of their first route. */
export function joinRoutes(routes: readonly Route[]): RoutedTarget[] {
  const urls = [...new Set(routes.map(({url}) => url))]
  return urls.map(url => {
    const patterns = routes.filter(route => route.url === url).map(({pattern}) => pattern)
    const given = patterns.filter(pattern => pattern !== undefined)
    // A route without a pattern takes every event, so further routes of the target add nothing.
    return {url, patterns: given.length === patterns.length ? [...new Set(given)] : undefined}
  })
}

/**
 * Returns the targets that an event of `type` is forwarded to. An event without a type goes to targets without
 * patterns.
 */
export function addressesFor(targets: readonly RoutedTarget[], type: string | null): string[] {
  const isWanted = ({patterns}: RoutedTarget) =>
    patterns === undefined || (type !== null && patterns.some(pattern => matchesType(pattern, type)))
  return targets.filter(isWanted).map(({url}) => url)
}

/** Reports whether `type` matches `pattern`, in which each `*` stands for any number of characters. */
export function matchesType(pattern: string, type: string): boolean {
  const [start = '', ...rest] = pattern.split('*')
  const end = rest.pop()
  if (end === undefined) return type === pattern
  if (!type.startsWith(start) || !type.endsWith(end)) return false
  // The text between two stars is searched for at its first place only, so that no pattern is slow.
  let from = start.length
  for (const part of rest) {
    const found = type.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return from <= type.length - end.length
}
