/** The zod schemas as components/schemas of the description (JSON Schema 2020-12, the dialect of OpenAPI 3.1). */
import {z} from 'zod'
import * as content from './content.js'
import * as hotels from './hotels.js'
import {IDENTIFIERS, type IdentifierKind} from './identifiers.js'
import {wordsFor} from './openapi-words.js'
import * as reservations from './reservations.js'
import * as tokens from './tokens.js'
import * as webhooks from './webhooks.js'

export type JsonSchema = z.core.JSONSchema.BaseSchema & {'x-source'?: string}

/** Records of which the interface shows only these fields; the others are marked as ours one by one. */
const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Offer: ['offer_id'],
  Reservation: ['reservation_ref', 'status', 'payment'],
}

/** Every schema of the contract that has an id, by that id. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{id: string}>()
  for (const schema of namedSchemas()) registry.add(schema, {id: idOf(schema) as string})
  const {schemas} = z.toJSONSchema(registry, {
    uri: id => `#/components/schemas/${id}`,
    // What is read is not closed: answers may gain fields. What is sent is closed by strictObject.
    io: 'input',
    override: ({jsonSchema}) => simplify(jsonSchema),
  })
  const worded = Object.entries(schemas).map(([id, schema]) => {
    return [id, markOurs(id, withWords(withoutIds(schema), id))] as const
  })
  const found: Record<string, JsonSchema> = Object.fromEntries(worded)
  for (const schema of Object.values(found)) schema.examples = [exampleOf(schema, found)]
  return found
}

/** The schema with a description and, where it is not made of those inside, an example for every field. */
function withWords(schema: JsonSchema, path: string): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}) as [string, JsonSchema][]
  const properties = fields.map(([name, field]) => {
    const {description, example} = wordsFor(`${path}.${name}`)
    const words = {...(description && {description}), ...(example !== undefined && {examples: [example]})}
    return [name, {...withWords(field, `${path}.${name}`), ...limitsOf(name, field), ...words}]
  })
  return {
    ...schema,
    ...(fields.length > 0 && {properties: Object.fromEntries(properties)}),
    ...(schema.items && {items: withWords(schema.items as JsonSchema, path)}),
  }
}

/** The form of an identifier, where the schema shows none. */
export function limitsOf(name: string, schema: JsonSchema = {}): JsonSchema {
  if (schema.pattern || !Object.hasOwn(IDENTIFIERS, name)) return {}
  // Its pattern is for JavaScript alone.
  if (name === 'client_reference_id') return {minLength: 1, maxLength: 128}
  return {pattern: IDENTIFIERS[name as IdentifierKind].pattern.source}
}

/** Optional, and not of the usual answer. */
const LEFT_OUT = ['url', 'details', 'error_description']

/** A value that is valid by the schema, made of the examples in it. Throws TypeError where one is missing. */
export function exampleOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  const {examples, $ref, items, properties, required = []} = schema
  if (examples) return examples[0]
  const inner = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
  if (inner) return exampleOf(inner, schemas)
  if (items) return [exampleOf(items as JsonSchema, schemas)]
  if (!properties) throw new TypeError('a schema has no example')
  const shown = Object.entries(properties).filter(
    ([name]) => required.includes(name) || !LEFT_OUT.includes(name),
  )
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field as JsonSchema, schemas)]))
}

/** `{$ref}` to the component of a schema. Throws TypeError for a schema without an id. */
export function reference(schema: z.ZodType): {$ref: string} {
  const id = idOf(schema)
  if (id === undefined) throw new TypeError('only a schema with an id is a component')
  return {$ref: `#/components/schemas/${id}`}
}

function namedSchemas(): z.ZodType[] {
  const modules = [content, hotels, reservations, tokens, webhooks]
  const exported: unknown[] = modules.flatMap(module => Object.values(module))
  return exported.filter(
    (value): value is z.ZodType => value instanceof z.ZodType && idOf(value) !== undefined,
  )
}

function idOf(schema: z.ZodType): string | undefined {
  return schema.meta()?.id
}

/** Drops what zod writes and no reader needs: the bounds of safe integers, and the pattern behind a format. */
function simplify(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'date-time') delete schema.pattern
}

function withoutIds({$schema, $id, id, ...schema}: JsonSchema): JsonSchema {
  return schema
}

function markOurs(id: string, schema: JsonSchema): JsonSchema {
  const shown = SHOWN_FIELDS[id]
  if (!shown) return schema
  const marked = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const source = shown.includes(name) ? schema['x-source'] : 'ours'
    return [name, {...(field as JsonSchema), 'x-source': source}]
  })
  return {...schema, properties: Object.fromEntries(marked)}
}
