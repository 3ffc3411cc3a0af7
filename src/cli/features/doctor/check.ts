/** Runs the checks of `doctor` and collects their results. */
import {faultHint} from '../../../api/answers/hints.js'
import {ExchangeError} from '../../../api/types.js'
import type {FailureKind} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {asFailure, EXITS} from '../../shell/exit-codes.js'

type Status = 'ok' | 'warn' | 'fail' | 'skipped'

export interface Finding {
  readonly status: Status
  /** One line, sanitised and without secrets. */
  readonly detail: string
  /** What to do, as a command or a sentence, or null. */
  readonly fix: string | null
  /** The kind of failure, which decides the exit code. Only set if the check failed. */
  readonly kind?: FailureKind | 'unexpected'
}

export interface Check extends Finding {
  readonly name: string
}

export type Checks = Readonly<Record<string, () => Promise<Finding> | Finding>>

function finding(status: Status, detail: string, fix?: string): Finding {
  const toDo = fix === undefined ? null : sanitizeLine(fix, 500)
  return {status, detail: sanitizeLine(detail, 1000), fix: toDo}
}

export const ok = (detail: string) => finding('ok', detail)
export const skipped = (why: string) => finding('skipped', why)
export const warn = (detail: string, fix: string) => finding('warn', detail, fix)

export function fail(kind: FailureKind | 'unexpected', detail: string, fix: string): Finding {
  return {...finding('fail', detail, fix), kind}
}

/** Runs `checks` in order. If `whyNot` returns a reason, the next check is skipped. */
export async function runChecks(
  checks: Checks,
  whyNot: (done: readonly Check[]) => string | undefined = () => undefined,
): Promise<Check[]> {
  const done: Check[] = []
  for (const [name, work] of Object.entries(checks)) {
    const why = whyNot(done)
    done.push({name, ...(why === undefined ? await found(work) : skipped(why))})
  }
  return done
}

/** Runs one check. If it throws an error, the check has failed, and the others still run. */
export async function found(work: () => Promise<Finding> | Finding): Promise<Finding> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ExchangeError)
      return fail('unreachable', error.reason, faultHint(error) ?? EXITS.unreachable.hint)
    const {kind, message, details} = asFailure(error)
    return fail(kind, message, details.hint ?? EXITS[kind].hint)
  }
}
