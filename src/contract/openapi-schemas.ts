/** The zod schemas as components/schemas of the description (JSON Schema 2020-12, the dialect of OpenAPI 3.1). */
import {z} from 'zod'
import * as account from './account.js'
import * as content from './content.js'
import * as errors from './errors.js'
import * as hotels from './hotels.js'
import * as reservations from './reservations.js'
import * as tokens from './tokens.js'
import * as tours from './tours.js'
import * as vouchers from './vouchers.js'
import * as webhooks from './webhooks.js'

export type JsonSchema = z.core.JSONSchema.BaseSchema & {'x-source'?: string}

/** Records of which the interface shows only these fields; the others are marked as ours one by one. */
const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Offer: ['offer_id'],
  Reservation: ['reservation_ref', 'status', 'payment'],
}

/** `meta` of a list (service.md's envelope; ours). It is not a record of the contract, so it is here. */
const LIST_META: JsonSchema = {
  type: 'object',
  description: 'Where a list goes on',
  'x-source': 'ours',
  required: ['limit', 'after', 'before'],
  properties: {
    limit: {type: 'integer', description: 'the most records of one answer'},
    after: {type: ['string', 'null'], description: 'cursor of the next page; null on the last'},
    before: {type: ['string', 'null'], description: 'cursor of the page before; null on the first'},
  },
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
  const named = Object.entries(schemas).map(([id, schema]) => [id, markOurs(id, withoutIds(schema))] as const)
  const all = [...named, ['ListMeta', LIST_META] as const]
  return Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** `{$ref}` to the component of a schema. Throws TypeError for a schema without an id. */
export function reference(schema: z.ZodType): {$ref: string} {
  const id = idOf(schema)
  if (id === undefined) throw new TypeError('only a schema with an id is a component')
  return {$ref: `#/components/schemas/${id}`}
}

function namedSchemas(): z.ZodType[] {
  const modules = [account, content, errors, hotels, reservations, tokens, tours, vouchers, webhooks]
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
