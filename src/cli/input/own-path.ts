/** The path a profile names for an operation that the interface does not show (§4.9): one check for file and flag. */
import {type Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {OPERATIONS, type OperationName, PATH_TEMPLATE} from '../../contract/operations.js'

/** The operations of §4.9, whose paths may be named. */
export const OWN_OPERATIONS = (Object.keys(OPERATIONS) as OperationName[]).filter(
  name => OPERATIONS[name].source === 'ours',
)

/** Throws usage unless `name` is an operation of §4.9 and `path` has the parameters it needs, and no others. */
export function checkOwnPath(where: string, name: string, path: string): string {
  const operation = OWN_OPERATIONS.find(own => own === name)
  if (operation === undefined) {
    throw refuse(`${where} names a path for ${sanitizeLine(name, 60)}, which is no operation of §4.9`)
  }
  if (!PATH_TEMPLATE.test(path))
    throw refuse(`${where}: the path of ${name} must be one such as /bookings/{reservation_ref}`)
  const parametersOf = (text: string) => (text.match(/\{[^}]*\}/g) ?? []).sort().join(' ')
  const needed = parametersOf(OPERATIONS[operation].path)
  if (parametersOf(path) === needed) return path
  throw refuse(`${where}: the path of ${name} must have ${needed || 'no parameter'}`)
}

function refuse(problem: string): Failure {
  return usage('settings_invalid', problem)
}
