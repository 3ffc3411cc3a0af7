/** Applies JMESPath to results, for `--query` and `--expect`. */
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject, own, parseExactly, stringify} from '../../contract/json.js'
import {jsonText} from './json-text.js'
import {type Column, notShown, type Result} from './result.js'

/**
 * Checks a JMESPath expression. This is done before anything is sent, so that a typing error is found before a
 * reservation is made. Throws a usage error if it is invalid.
 */
export async function checkExpression(field: string, text: string): Promise<string> {
  const {compile} = await import('@jmespath-community/jmespath')
  try {
    compile(text)
    return text
  } catch (error) {
    throw usage('invalid_query', `${field}: invalid JMESPath expression: ${reasonOf(error)}`)
  }
}

/** Returns a function that applies a JMESPath expression to a value. It returns undefined if that fails. */
export async function finderOf(expression: string): Promise<(value: unknown) => unknown> {
  const {search} = await import('@jmespath-community/jmespath')
  return value => {
    try {
      return search(value as never, expression)
    } catch {
      return undefined
    }
  }
}

/**
 * Applies `query` to the document of `result`, and returns what it finds as a new result. A string is printed without
 * quotes. Throws a Failure if the query fails.
 */
export async function resultOfQuery<Item>({document, items: all}: Result<Item>, query: string) {
  const {search} = await import('@jmespath-community/jmespath')
  let found: unknown
  try {
    found = search(parseExactly(stringify(document) ?? 'null') as never, query)
  } catch (error) {
    // The library's max and min pass a whole list as arguments, which can overflow the stack.
    const isTooLong = error instanceof RangeError
    const reason = isTooLong ? 'a list in it is too long for a function of the query' : reasonOf(error)
    throw notShown(document, 'query_failed', `--query cannot be applied to its result: ${reason}`)
  }
  const items = Array.isArray(found) ? found : found === null ? [] : [found]
  const keys = isObject(document) ? sanitizeLine(Object.keys(document).join(', '), 200) : ''
  return {
    document: found as object,
    items,
    columns: columnsIn(items),
    text: typeof found === 'string' ? `${sanitizeLine(found)}\n` : `${jsonText(found, 2)}\n`,
    single: isObject(found),
    ...(isNothing(found, all.length > 0) && {
      warning: `Warning: --query found nothing${keys && `; the result has: ${keys}`}`,
    }),
  }
}

/**
 * Returns the columns for the items that were found: the keys if they are objects, the positions (`1`, `2`) if they are
 * lists, else one column `value`.
 */
function columnsIn(items: readonly unknown[]): Column<unknown>[] {
  if (items.every(isObject)) {
    const names = [...new Set(items.flatMap(item => Object.keys(item)))]
    return names.map(name => ({name, value: item => own(item as object, name)}))
  }
  const lists = items.filter(Array.isArray)
  if (lists.length < items.length) return [{name: 'value', value: item => item}]
  const most = lists.reduce((longest, {length}) => Math.max(longest, length), 0)
  return Array.from({length: most}, (_, at) => ({name: `${at + 1}`, value: item => (item as unknown[])[at]}))
}

/**
 * Reports whether a query found nothing: null, or a list or object that contains only such values. An empty list counts
 * as nothing only if the result had items.
 */
function isNothing(found: unknown, hadItems: boolean): boolean {
  if (found === null || found === undefined) return true
  if (Array.isArray(found) && found.length === 0) return hadItems
  if (typeof found !== 'object') return false
  const values = Object.values(found)
  return values.length > 0 && values.every(value => isNothing(value, hadItems))
}

function reasonOf(error: unknown): string {
  return sanitizeLine(error instanceof Error ? error.message : '', 200)
}
