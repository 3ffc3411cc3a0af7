/** The exact request of an operation, secrets redacted, for `--dry-run`. Sends nothing. */
import {OPERATIONS, type OperationName, pathOf} from '../../../contract/operations.js'
import type {State} from '../../../state/state.js'
import {type DryRequest, dryRequest} from '../../session/dry-run.js'
import {notShown, readNamedPaths} from '../../session/own-paths.js'
import type {Target} from '../../session/target.js'

/** Throws usage when the settings that may name the path are not as they should be, and for a path that would be a guess. */
export function describeCall(
  name: OperationName,
  target: Target,
  state: State,
  {parameters = {}, body}: {parameters?: Record<string, string>; body?: object},
): DryRequest {
  const {method, source} = OPERATIONS[name]
  const named = source === 'ours' ? readNamedPaths(target, state)(name) : undefined
  // A guessed path is called on a local sandbox alone, which is on this machine.
  if (source === 'ours' && named === undefined && !target.isLoopback) throw notShown(name)
  return dryRequest(method, target.baseUrl + pathOf(name, parameters, named), body)
}
