/** One check of `doctor`: what was looked at, how it is, and what to do about it. */
import {ExchangeError} from '../../../api/types.js'
import {Failure, type FailureKind} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {StorageError} from '../../../storage/errors.js'

type Status = 'ok' | 'warn' | 'fail' | 'skipped'

export interface Check {
  readonly name: string
  readonly status: Status
  /** One line, harmless to show, no secret in it. */
  readonly detail: string
  /** A command or a sentence; null when there is nothing to do. */
  readonly fix: string | null
  /** What a failed one is a matter of; it decides the exit code. */
  readonly kind?: FailureKind | 'unexpected'
}

export function ok(name: string, detail: string): Check {
  return {name, status: 'ok', detail: sanitizeLine(detail, 1000), fix: null}
}

export function skipped(name: string, why: string): Check {
  return {name, status: 'skipped', detail: sanitizeLine(why, 1000), fix: null}
}

export function warn(name: string, detail: string, fix: string): Check {
  return {name, status: 'warn', detail: sanitizeLine(detail, 1000), fix: sanitizeLine(fix, 500)}
}

export function fail(name: string, kind: FailureKind | 'unexpected', detail: string, fix: string): Check {
  return {name, status: 'fail', detail: sanitizeLine(detail, 1000), fix: sanitizeLine(fix, 500), kind}
}

/** The check that `work` makes; what it throws is a check that failed, so that the others are still made. */
export async function checking(name: string, work: () => Promise<Check> | Check): Promise<Check> {
  try {
    return await work()
  } catch (error) {
    return failed(name, error)
  }
}

const UNEXPECTED_FIX = 'run the command that needs it with BOOKCTL_DEBUG=1'

function failed(name: string, error: unknown): Check {
  if (error instanceof Failure)
    return fail(name, error.kind, error.message, error.details.hint ?? 'see the message')
  if (error instanceof StorageError) return fail(name, 'usage', error.message, error.hint)
  if (error instanceof ExchangeError) return fail(name, 'unreachable', error.reason, faultFix(error))
  return fail(name, 'unexpected', 'check failed because of a bug in bookctl', UNEXPECTED_FIX)
}

function faultFix({fault}: ExchangeError): string {
  switch (fault) {
    case 'dns':
      return 'check the host name in the base URL, and DNS on this machine'
    case 'tls':
      return 'if the service has its own certificate authority, add it with --ca-file FILE'
    case 'proxy':
    case 'proxy_refused':
      return 'check HTTPS_PROXY and NO_PROXY, or use --proxy URL'
    case 'connect_timeout':
      return 'a firewall may drop the connection: ask for access, or set HTTPS_PROXY'
    default:
      return 'check the base URL, and whether the service is running'
  }
}
