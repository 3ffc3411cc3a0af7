/**
 * The OpenAPI description as its readers use it: operations are found by name, and bodies are checked by a JSON Schema library.
 */
import {openApiDocument} from '../../src/contract/openapi.js'
import {OPERATIONS, type OperationName} from '../../src/contract/operations.js'
import {newValidator} from './json-schema.js'

export const SERVER_URL = 'http://127.0.0.1:8080/partner-api/v1'

// biome-ignore lint/suspicious/noExplicitAny: read as any JSON document is
export const description = openApiDocument({serverUrl: SERVER_URL}) as any

// biome-ignore lint/suspicious/noExplicitAny: as above
export function described(name: OperationName): any {
  const {path, method} = OPERATIONS[name]
  return description.paths[path]?.[method.toLowerCase()]
}

export function schemaCheck() {
  const validator = newValidator()
  validator.addSchema(description, 'description')
  return {
    /** Returns the errors of a value under the schema at this JSON pointer of the description; empty if it is valid. */
    faults(pointer: string, value: unknown) {
      const validate = validator.getSchema(`description#${pointer}`)
      if (!validate) throw new Error(`the description has nothing at ${pointer}`)
      return validate(value)
        ? []
        : (validate.errors ?? []).map(fault => `${fault.instancePath} ${fault.message}`)
    },
  }
}

/** Returns the JSON pointer, as a URI fragment, of the body that an operation answers with at a status. */
export function answerPointer(name: OperationName, status: number): string {
  return pointer(name, 'responses', String(status))
}

export const requestPointer = (name: OperationName) => pointer(name, 'requestBody')

function pointer(name: OperationName, ...keys: string[]): string {
  const {path, method} = OPERATIONS[name]
  const whole = ['paths', path, method.toLowerCase(), ...keys, 'content', 'application/json', 'schema']
  return whole.map(key => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')
}
