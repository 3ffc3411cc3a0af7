/**
 * Ensures that a guessed path is never called on a live service. An operation without a path in the interface (§4.9) is
 * called only if config.json has its path, or on a local sandbox. A sandbox is recognised by its answer to GET
 * {origin}/_sandbox/clock.
 */
import {unwrap} from '../../api/answers/facts.js'
import {throwUnanswered} from '../../api/answers/refusals.js'
import {SendError, type Sender} from '../../api/types.js'
import {type Failure, usage} from '../../contract/failure.js'
import {SANDBOX_MARK} from '../../contract/identifiers.js'
import {isObject, own, parseJson} from '../../contract/json.js'
import {type CalledOperations, OPERATIONS, type OperationName} from '../../contract/operations.js'
import type {State} from '../../state/state.js'
import {checkOwnPath} from '../input/checks.js'
import {pathsOf, type Target} from './resolve.js'

/** Returns the path of an operation in config.json, or undefined. Throws a usage error if any path there is invalid. */
export function namedPathOf(name: OperationName, target: Target, state: State): string | undefined {
  const paths: Readonly<Record<string, string>> = pathsOf(target, state.settings.read())?.paths ?? {}
  for (const [each, path] of Object.entries(paths)) checkOwnPath('config.json', each, path)
  return paths[name]
}

/**
 * Returns a function that returns the path in config.json for an operation without one in the interface. On a local
 * sandbox, it returns undefined if there is none, and the sandbox's own path is used. Elsewhere it throws a usage error
 * `path_not_shown`, and the operation is not sent.
 */
export function createOwnPaths(target: Target, state: State, sender: Sender, timeoutSeconds: number) {
  let sandbox: Promise<boolean> | undefined
  return async (name: OperationName): Promise<string | undefined> => {
    const named = namedPathOf(name, target, state)
    if (named !== undefined) return named
    // If the check fails, the next call repeats it.
    sandbox ??= isLocalSandbox(target, sender, timeoutSeconds).catch(error => {
      sandbox = undefined
      throw error
    })
    if (!(await sandbox)) throw notShown(name)
    return undefined
  }
}

/**
 * Reports whether the target is a local sandbox. Any answer other than a sandbox's means no. Throws a Failure if the
 * request could not be sent.
 */
async function isLocalSandbox(target: Target, sender: Sender, timeoutSeconds: number): Promise<boolean> {
  if (!target.isLoopback) return false
  const url = `${new URL(target.baseUrl).origin}/_sandbox/clock`
  const request = {method: 'GET', url, headers: {accept: 'application/json'}}
  const policy = {repeatable: false, mostAttempts: 1, timeoutSeconds}
  const answer = await sender.send(request, policy).catch(error => {
    if (error instanceof SendError && error.last.sent) return undefined
    return throwUnanswered(false)(error)
  })
  if (answer?.status !== 200 || answer.headers[SANDBOX_MARK.header] !== SANDBOX_MARK.value) return false
  const clock = unwrap(parseJson(answer.body))
  const now = isObject(clock) ? own(clock, 'now') : undefined
  return typeof now === 'string' && /^\d{4}-\d\d-\d\dT/.test(now) && !Number.isNaN(Date.parse(now))
}

/** Returns the error for an operation whose path is not known. */
export function notShown(name: OperationName): Failure {
  const what = OPERATIONS[name].summary.toLowerCase()
  return usage(
    'path_not_shown',
    `this service's documentation names no path to ${what}, and a guessed path is called on the local sandbox only; nothing was sent`,
    `name it: bookctl config set paths.${name} PATH`,
  )
}

/**
 * Returns a note for help about the operations that a command always calls: where they work, how to set their paths,
 * and which scopes they need.
 */
export function pathNote(operations: CalledOperations): string {
  const names = (Object.keys(operations) as OperationName[]).filter(name => operations[name] === '')
  const paths = names.map(name => `"${name}": "…"`).join(', ')
  const scopes = [...new Set(names.map(name => OPERATIONS[name].scope))]
  const isOne = names.length === 1
  return `This service's documentation names no path for this: the command works with the local sandbox, and with another service once config.json names ${isOne ? 'it' : 'them'}: "paths": {${paths}}. Required scope${scopes.length === 1 ? '' : 's'}: ${scopes.join(', ')}.`
}
