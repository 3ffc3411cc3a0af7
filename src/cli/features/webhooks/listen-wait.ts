/** `listen --exit-after N --within S --expect JMESPATH`: a wait for scripts. */
import {Failure} from '../../../contract/failure.js'

export interface Expectation {
  /** Takes an event that was received for the first time; returns whether it counted. */
  see(event: unknown): boolean
  /** Starts the time; resolves when enough came, rejects with `pending` (exit 8) when time runs out first. */
  begin(): Promise<void>
  /** Stops the clock. */
  end(): void
}

export interface Wanted {
  readonly count: number
  readonly seconds: number | undefined
  readonly expect?: string
}

export async function createExpectation({count, seconds, expect}: Wanted): Promise<Expectation> {
  const holds = expect === undefined ? () => true : await evaluator(expect)
  let seen = 0
  let timer: NodeJS.Timeout | undefined
  const {promise, resolve, reject} = withResolvers()
  return {
    see(event) {
      if (!holds(event)) return false
      seen++
      if (seen >= count) resolve()
      return true
    },
    begin() {
      if (seconds !== undefined)
        timer = setTimeout(() => reject(ranOut(seen, count, seconds)), Math.min(seconds * 1000, 2 ** 31 - 1))
      return promise
    },
    end: () => clearTimeout(timer),
  }
}

function ranOut(seen: number, count: number, seconds: number): Failure {
  const message = `${seen} of ${count} expected events came within ${seconds} s`
  return new Failure('pending', message, {
    code: 'events_missing',
    hint: 'bookctl webhooks events list shows all that came',
  })
}

/** Whether what an expression finds is true, as JMESPath has it. An event it cannot be asked of is not meant. */
async function evaluator(expression: string): Promise<(event: unknown) => boolean> {
  const {search} = await import('@jmespath-community/jmespath')
  return event => {
    try {
      return isTruthy(search(event as never, expression))
    } catch {
      return false
    }
  }
}

function isTruthy(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function withResolvers(): {promise: Promise<void>; resolve: () => void; reject: (error: Error) => void} {
  let resolve = () => {}
  let reject = (_: Error) => {}
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone
    reject = onError
  })
  // Nobody may be waiting yet.
  promise.catch(() => {})
  return {promise, resolve, reject}
}
