/** What help says of commands whose paths the interface does not show (§4.9). */
import {OPERATIONS, type OperationName} from '../../contract/operations.js'

/** Where the operations work, how their paths are named, which scopes they need. */
export function pathNote(...names: readonly OperationName[]): string {
  const paths = names.map(name => `"${name}": "…"`).join(', ')
  const scopes = [...new Set(names.map(name => OPERATIONS[name].scope))]
  const isOne = names.length === 1
  return `The interface does not show ${isOne ? 'this path' : 'these paths'}: the command works with the local sandbox, and with
another service once config.json names ${isOne ? 'it' : 'them'}: "paths": {${paths}}. Required scope${scopes.length === 1 ? '' : 's'}: ${scopes.join(', ')}.`
}
