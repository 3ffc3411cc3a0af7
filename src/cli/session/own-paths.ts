/**
 * A guessed path is never called on a live service. The interface names operations it does not show (§4.9); their
 * paths are ours, so they are called in two cases only: a profile of this very service names the path, or what answers
 * is a local sandbox of this machine. A sandbox is told by its own control, GET {origin}/_sandbox/clock, asked once and
 * on loopback alone, and by the header that only the sandbox's controls answer with.
 */
import {unwrap} from '../../api/answers/facts.js'
import {unanswered} from '../../api/answers/refusals.js'
import {parseBaseUrl} from '../../api/http/base-url.js'
import {type Api, SendError, type Sender} from '../../api/types.js'
import {type Failure, usage} from '../../contract/failure.js'
import {SANDBOX_MARK} from '../../contract/identifiers.js'
import {isObject, own, parseJson} from '../../contract/json.js'
import {OPERATIONS, type OperationName} from '../../contract/operations.js'
import type {State} from '../../state/state.js'
import {checkOwnPath} from '../input/checks.js'
import type {Target} from './target.js'

export type NamedPath = (name: OperationName) => string | undefined

/**
 * The paths named by the target's profile, when that is a profile of the service that is called; else by one that is.
 * Credentials of the environment alone take those of the defaults, where whoever has no profile named them.
 * The settings are read when first asked, since most commands need none. What is returned throws Failure when they are
 * not as they should be.
 */
export function readNamedPaths(target: Pick<Target, 'profile' | 'baseUrl'>, state: State): NamedPath {
  let paths: Readonly<Record<string, string>> | undefined
  return name => {
    paths ??= pathsIn(target, state)
    return Object.hasOwn(paths, name) ? paths[name] : undefined
  }
}

function pathsIn(target: Pick<Target, 'profile' | 'baseUrl'>, state: State): Record<string, string> {
  const {profiles, defaults} = state.settings.read()
  const ofService = Object.entries(profiles).filter(([, {base_url}]) =>
    isSameService(base_url, target.baseUrl),
  )
  const own = ofService.find(([name]) => name === target.profile) ?? ofService.find(([, {paths}]) => paths)
  const paths = own?.[1].paths ?? (target.profile === null ? defaults?.paths : undefined) ?? {}
  for (const [name, path] of Object.entries(paths)) checkOwnPath('config.json', name, path)
  return paths
}

/** `written`: as it stands in config.json, where a person may have put it otherwise than we would. */
function isSameService(written: string, baseUrl: string): boolean {
  try {
    return parseBaseUrl(written).baseUrl === baseUrl
  } catch {
    return false
  }
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
    // Where it could not be asked, it is asked again the next time.
    sandbox ??= isLocalSandbox(parts).catch(error => {
      sandbox = undefined
      throw error
    })
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

/** Anything but the answer of a sandbox means that there is none, unless the question never left. Throws Failure. */
async function isLocalSandbox({target, sender, timeoutSeconds}: GuardParts): Promise<boolean> {
  if (!target.isLoopback) return false
  const url = `${new URL(target.baseUrl).origin}/_sandbox/clock`
  const request = {method: 'GET', url, headers: {accept: 'application/json'}}
  const policy = {repeatable: false, mostAttempts: 1, timeoutSeconds}
  const answer = await sender.send(request, policy).catch(error => {
    if (!(error instanceof SendError)) throw error
    if (!error.last.sent) throw unanswered(error, false)
    return undefined
  })
  if (answer?.status !== 200 || answer.headers[SANDBOX_MARK.header] !== SANDBOX_MARK.value) return false
  const said = unwrap(parseJson(answer.body))
  const now = isObject(said) ? own(said, 'now') : undefined
  return typeof now === 'string' && /^\d{4}-\d\d-\d\dT/.test(now) && !Number.isNaN(Date.parse(now))
}

/** The refusal of an operation whose path would be a guess. */
export function notShown(name: OperationName): Failure {
  const what = OPERATIONS[name].summary.toLowerCase()
  return usage(
    'path_not_shown',
    `the interface does not show the path to ${what}, and a guessed path is called on the local sandbox only; nothing was sent`,
    `name it: bookctl config set paths.${name} PATH`,
  )
}
