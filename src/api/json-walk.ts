/**
 * Finding things in a foreign JSON answer, whose shape is not known. Only own properties count, the tree is walked
 * without recursion, and its size and depth are bounded.
 */
import {isObject, type JsonObject, own} from '../contract/json-object.js'

export {isObject, type JsonObject, own}

/** One object of the answer and the way to it. */
export interface Node {
  readonly value: JsonObject
  readonly parent: Node | undefined
  /** Name of the property it stands under, skipping arrays; '' for the outermost. */
  readonly key: string
  /** Whether an array lies between it and its parent. */
  readonly inArray: boolean
}

const MAX_OBJECTS = 500_000
const MAX_DEPTH = 100

/** The first value that is a string with something in it, or a finite number written as a string. */
export function textOf(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  }
  return undefined
}

interface Step {
  readonly value: unknown
  readonly parent: Node | undefined
  readonly key: string
  readonly inArray: boolean
  readonly depth: number
}

/** All objects, outermost first: what lies nearest to the top comes first. */
export function* breadthFirst(json: unknown): Generator<Node> {
  const queue: Step[] = [{value: json, parent: undefined, key: '', inArray: false, depth: 0}]
  for (let next = 0; next < queue.length && next < MAX_OBJECTS; next++) {
    const step = queue[next] as Step
    const node = nodeOf(step)
    if (node) yield node
    for (const inner of stepsInto(step, node)) queue.push(inner)
  }
}

/** All objects, in the order of the document. */
export function* inDocumentOrder(json: unknown): Generator<Node> {
  const stack: Step[] = [{value: json, parent: undefined, key: '', inArray: false, depth: 0}]
  for (let seen = 0; stack.length > 0 && seen < MAX_OBJECTS; seen++) {
    const step = stack.pop() as Step
    const node = nodeOf(step)
    if (node) yield node
    for (const inner of stepsInto(step, node).reverse()) stack.push(inner)
  }
}

function nodeOf({value, parent, key, inArray}: Step): Node | undefined {
  return isObject(value) ? {value, parent, key, inArray} : undefined
}

function stepsInto(step: Step, node: Node | undefined): Step[] {
  const {value, depth} = step
  if (depth >= MAX_DEPTH) return []
  if (Array.isArray(value)) {
    return value.filter(isContainer).map(item => ({...step, value: item, inArray: true, depth: depth + 1}))
  }
  if (!node) return []
  return Object.entries(node.value)
    .filter(([, inner]) => isContainer(inner))
    .map(([key, inner]) => ({value: inner, parent: node, key, inArray: false, depth: depth + 1}))
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
