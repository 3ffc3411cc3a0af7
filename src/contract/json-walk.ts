/**
 * Walks through a foreign JSON answer of unknown shape: own properties only, without recursion, and no deeper than
 * MAX_DEPTH. The transport limits its length.
 */
import {isObject, type JsonObject, own} from './json.js'

/** One object of the answer and the way to it. */
export interface Node {
  readonly value: JsonObject
  readonly parent: Node | undefined
  /** Name of the property it is under, skipping arrays; '' for the outermost. */
  readonly key: string
  /** Whether an array lies between it and its parent. */
  readonly inArray: boolean
}

const MAX_DEPTH = 100

/** The first value that is a string with something in it, or a finite number written as a string. */
export function textOf(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  }
  return undefined
}

/** All objects, outermost first: what lies nearest to the top comes first. */
export function* breadthFirst(json: unknown): Generator<Node> {
  const queue = [openAt(json)]
  for (const level of queue) {
    if (level.node) yield level.node
    for (let inner = nextInside(level); inner; inner = nextInside(level)) queue.push(inner)
  }
}

/** All objects, in the order of the document. Holds only the path to the current place. */
export function* inDocumentOrder(json: unknown): Generator<Node> {
  const way = [openAt(json)]
  if (way[0]?.node) yield way[0].node
  for (let level = way.at(-1); level; level = way.at(-1)) {
    const inner = nextInside(level)
    if (!inner) way.pop()
    else {
      if (inner.node) yield inner.node
      way.push(inner)
    }
  }
}

/** An object or array, and how far it was looked into. */
interface Level {
  /** The object itself; of an array, undefined. */
  readonly node: Node | undefined
  /** Whose members these are: the object itself, or the nearest around an array. */
  readonly holder: Node | undefined
  /** Of an array, the name it is under. */
  readonly key: string
  readonly keys: readonly string[] | undefined
  readonly value: unknown
  readonly depth: number
  next: number
}

function openAt(value: unknown, parent?: Node, key = '', inArray = false, depth = 0): Level {
  const node = isObject(value) ? {value, parent, key, inArray} : undefined
  const keys = node && Object.keys(node.value)
  return {node, holder: node ?? parent, key, keys, value, depth, next: 0}
}

/** The next object or array right inside this one. */
function nextInside(level: Level): Level | undefined {
  const {value, keys, holder, key, depth} = level
  if (depth >= MAX_DEPTH) return undefined
  if (keys) {
    while (level.next < keys.length) {
      const name = keys[level.next++] as string
      const inner = (value as JsonObject)[name]
      if (isContainer(inner)) return openAt(inner, holder, name, false, depth + 1)
    }
  } else if (Array.isArray(value)) {
    while (level.next < value.length) {
      const inner: unknown = value[level.next++]
      if (isContainer(inner)) return openAt(inner, holder, key, true, depth + 1)
    }
  }
  return undefined
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** The outermost object that has `key` of its own with a value other than null. */
export function findRecord(json: unknown, key: string): JsonObject | undefined {
  for (const {value} of breadthFirst(json)) {
    if (own(value, key) !== undefined && value[key] !== null) return value
  }
  return undefined
}
