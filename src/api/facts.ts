/** Facts of a foreign record under the names services give them. What is not found is null; nothing is guessed. */
import type {Fields} from './field-names.js'
import {isObject, textOf} from './json-walk.js'

/** The first text (or number, as text) under one of `names`; of a text in several languages, the English or first. */
export function textIn(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const text = words(fields.get(name))
    if (text !== undefined) return text
  }
  return null
}

/** As `textIn`, for codes: of an object the code is taken, not the name. */
export function codeIn(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields.get(name)
    const text = isObject(value) ? textOf(value.code, value.iso_code, value.iso2, value.iso) : textOf(value)
    if (text !== undefined) return text
  }
  return null
}

function words(value: unknown): string | undefined {
  if (!isObject(value)) return textOf(value)
  return textOf(value.en, value.content, value.name, ...Object.values(value))
}

/** The first number under one of `names`, also one written as text. */
export function numberIn(fields: Fields, names: readonly string[]): number | null {
  for (const name of names) {
    const value = fields.get(name)
    const text = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    if (typeof text === 'number' && Number.isFinite(text)) return text
  }
  return null
}

/** As `numberIn`, for whole numbers that can be told apart from their neighbours. */
export function integerIn(fields: Fields, names: readonly string[]): number | null {
  const found = numberIn(fields, names)
  return Number.isSafeInteger(found) ? found : null
}
