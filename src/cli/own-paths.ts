/**
 * A guessed path is never called on a live service. The interface names operations it does not show (§4.9); their
 * paths are ours, so they are called in two cases only: the profile names the path, or what answers is a local
 * sandbox of this machine. A sandbox is told by its own control, GET {origin}/_sandbox/clock, asked on loopback alone.
 */
import {type Api, SendError, type Sender} from '../api/api.js'
import {parseJson} from '../api/error-shapes.js'
import {isObject, own} from '../api/json-walk.js'
import {unanswered} from '../api/refusals.js'
import {unwrap} from '../api/shapes.js'
import {type Failure, usage} from '../contract/failure.js'
import {OPERATIONS, type OperationName} from '../contract/operations.js'
import type {State} from '../state/state.js'
import {checkOwnPath} from './input/own-path.js'
import type {Target} from './target.js'

export type NamedPath = (name: OperationName) => string | undefined

/**
 * The paths named by the target's profile; without one, by a profile of the same service. The settings are read when
 * first asked, since most commands need none. What is returned throws Failure when they are not as they should be.
 */
export function readNamedPaths(target: Pick<Target, 'profile' | 'baseUrl'>, state: State): NamedPath {
  let paths: Readonly<Record<string, string>> | undefined
  return name => {
    paths ??= pathsIn(target, state)
    return Object.hasOwn(paths, name) ? paths[name] : undefined
  }
}

function pathsIn(target: Pick<Target, 'profile' | 'baseUrl'>, state: State): Record<string, string> {
  const {profiles} = state.settings.read()
  const ofService = Object.values(profiles).find(({base_url}) => base_url === target.baseUrl)
  const profile = target.profile === null ? ofService : profiles[target.profile]
  const paths = profile?.paths ?? {}
  for (const [name, path] of Object.entries(paths)) checkOwnPath('config.json', name, path)
  return paths
}

export interface GuardParts {
  readonly namedPath: NamedPath
  readonly target: Pick<Target, 'baseUrl' | 'isLoopback'>
  readonly sender: Sender
  readonly timeoutSeconds: number
}

/** `api`, refusing before any request the operations whose path would be a guess. Throws usage `path_not_shown`. */
export function guardOwnPaths(api: Api, parts: GuardParts): Api {
  let sandbox: Promise<boolean> | undefined
  const admit = async (name: OperationName) => {
    if (OPERATIONS[name].source !== 'ours' || parts.namedPath(name) !== undefined) return
    sandbox ??= isLocalSandbox(parts)
    if (!(await sandbox)) throw notShown(name)
  }
  return {
    ...api,
    exchange: async (name, options) => {
      await admit(name)
      return api.exchange(name, options)
    },
    call: async (name, options) => {
      await admit(name)
      return api.call(name, options)
    },
  }
}

async function isLocalSandbox({target, sender, timeoutSeconds}: GuardParts): Promise<boolean> {
  if (!target.isLoopback) return false
  const url = `${new URL(target.baseUrl).origin}/_sandbox/clock`
  const request = {method: 'GET', url, headers: {accept: 'application/json'}}
  const answer = await sender.send(request, {repeatable: true, timeoutSeconds}).catch(error => {
    throw error instanceof SendError ? unanswered(error, false) : error
  })
  const said = unwrap(parseJson(answer.body))
  return answer.status === 200 && isObject(said) && typeof own(said, 'now') === 'string'
}

function notShown(name: OperationName): Failure {
  const what = OPERATIONS[name].summary.toLowerCase()
  return usage(
    'path_not_shown',
    `the interface does not show the path to ${what}, and a guessed one is never called; nothing was sent`,
    `name it with: bookctl config set paths.${name} PATH; the local sandbox needs no naming`,
  )
}
