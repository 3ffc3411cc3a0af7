/** The exact request of an operation, secrets redacted, for `--dry-run`. Sends nothing. */
import {OPERATIONS, type OperationName, pathOf} from '../../contract/operations.js'
import type {State} from '../../state/state.js'
import type {Target} from '../access/target.js'
import {type DryRequest, dryRequest} from './dry-run.js'
import {readNamedPaths} from './own-paths.js'

/** Throws usage when the settings that may name the path are not as they should be. */
export function describeCall(
  name: OperationName,
  target: Target,
  state: State,
  {parameters = {}, body}: {parameters?: Record<string, string>; body?: object},
): DryRequest {
  const {method, source} = OPERATIONS[name]
  const named = source === 'ours' ? readNamedPaths(target, state)(name) : undefined
  return dryRequest(method, target.baseUrl + pathOf(name, parameters, named), body)
}
