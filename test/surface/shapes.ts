/** The keys of a JSON document with the types of their values: what scripts rely on, apart from the values. */

/** Paths, as `offers[].price.total`, each with the types seen there. */
export type Shape = Map<string, Set<string>>

/** Under these keys stands what the service sent, or a request to it: not ours to promise. */
const FOREIGN = new Set([
  ...['raw', 'reservation', 'reservations', 'account', 'answer', 'body', 'data', 'event', 'headers', 'quote'],
  // Keys are names of things there: of paths, of schemas.
  ...['paths', 'components', 'webhooks'],
  // The documents of the commands that `demo` runs, each of which is listed by itself.
  'result',
])
const DEEPEST = 5

/** Adds the shape of `value`, which stands at `path`, to `shape`; items of a list are taken together. */
export function addShape(shape: Shape, value: unknown, path = ''): void {
  const types = shape.get(path) ?? new Set()
  shape.set(path, types.add(typeName(value)))
  if (Array.isArray(value)) {
    for (const item of value) addShape(shape, item, `${path}[]`)
    return
  }
  const key = path.split('.').at(-1)?.replaceAll('[]', '') ?? ''
  if (typeof value !== 'object' || value === null || FOREIGN.has(key) || path.split('.').length > DEEPEST)
    return
  for (const [name, inner] of Object.entries(value))
    addShape(shape, inner, path === '' ? name : `${path}.${name}`)
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** One block a command, sorted: the order of keys is no promise. */
export function shapesText(shapes: ReadonlyMap<string, Shape>): string {
  const blocks = [...shapes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, shape]) => {
      const lines = [...shape]
        .filter(([path]) => path !== '')
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, types]) => `    ${path} ${[...types].sort().join('|')}`)
      return [`bookctl ${name}`, ...lines, ''].join('\n')
    })
  return blocks.join('')
}

/** Reads what `shapesText` wrote. */
export function readShapes(text: string): Map<string, Shape> {
  const shapes = new Map<string, Shape>()
  let shape: Shape = new Map()
  for (const line of text.split('\n').filter(Boolean)) {
    const [path = '', types = ''] = line.trim().split(' ')
    if (line.startsWith('    ')) {
      shape.set(path, new Set(types.split('|')))
      continue
    }
    shape = new Map()
    shapes.set(line.replace(/^bookctl /, ''), shape)
  }
  return shapes
}

/**
 * What of `committed` is gone or has another type. A key is gone when what holds it is there without it: an empty list
 * says nothing of its items. New keys break nobody, and null may stand for any value.
 */
export function compareShapes(
  committed: ReadonlyMap<string, Shape>,
  seen: ReadonlyMap<string, Shape>,
): string[] {
  const told: string[] = []
  for (const name of committed.keys()) if (!seen.has(name)) told.push(`${name}: no document`)
  for (const [name, shape] of seen) {
    const known = committed.get(name)
    if (!known) told.push(`${name}: not committed`)
    for (const [path, before] of known ?? []) {
      const now = valuesOf(shape.get(path))
      if (isGone(path, shape)) told.push(`${name}: ${path} is gone`)
      else if (now.some(type => !before.has(type)) && valuesOf(before).length > 0)
        told.push(`${name}: ${path} was ${[...before].join('|')}, is ${now.join('|')}`)
    }
  }
  return told
}

function valuesOf(types: ReadonlySet<string> = new Set()): string[] {
  return [...types].filter(type => type !== 'null')
}

function isGone(path: string, shape: Shape): boolean {
  if (shape.has(path) || path.endsWith('[]')) return false
  const holder = path.slice(0, Math.max(path.lastIndexOf('.'), 0))
  return shape.get(holder)?.has('object') ?? false
}
