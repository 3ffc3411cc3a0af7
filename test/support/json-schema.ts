/** The JSON Schema library of the tests. */
// The main file of ajv knows draft 7. OpenAPI 3.1 and MCP use draft 2020-12, which ajv has in a file of its own.
import {Ajv2020} from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Returns a validator that reports all errors, checks formats, and allows keywords that it does not know. */
export function newValidator(): Ajv2020 {
  const validator = new Ajv2020({strict: false, allErrors: true})
  addFormats.default(validator)
  return validator
}
