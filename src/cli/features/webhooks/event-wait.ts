/**
 * Implements `webhooks events wait`: waits until an event is in the store, whichever process or machine receives it.
 */
import type {Clock} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import type {EventFilter, EventPlace, EventStore, StoredEvent} from '../../../contract/stored-events.js'
import {StorageError} from '../../../storage/errors.js'

/**
 * Pause between two searches. After a slow search the pause is longer, `PAUSE_PER_SEARCH` times its duration, to leave
 * the processor free.
 */
const PAUSE_MILLISECONDS = 300
const PAUSE_PER_SEARCH = 9

interface Wait {
  readonly filter: EventFilter
  /** Whether only an event counts that is stored after the wait began. */
  readonly isNew: boolean
  /** Time limit in seconds (default: none). */
  readonly seconds: number | undefined
  readonly clock: Clock
  readonly warn: (text: string) => void
}

/**
 * Returns the newest matching event, or with `isNew` the first matching event stored from now on. If the store becomes
 * busy or unreachable during the wait, goes on searching. Throws a Failure of kind `pending` (exit code 8) after the
 * time limit, or a StorageError if the store cannot be searched at the start or at the end.
 */
export async function waitForEvent(
  store: EventStore,
  {filter, isNew, seconds, clock, warn}: Wait,
): Promise<StoredEvent> {
  const deadline = clock.now() + (seconds ?? Number.POSITIVE_INFINITY)
  const [newest] = isNew ? await store.page({}, {}, 1) : []
  const from: EventPlace = isNew ? {after: newest?.sequence ?? 0} : {}
  let pause = PAUSE_MILLISECONDS
  const search = async () => {
    const began = performance.now()
    const [found] = await store.page(filter, from, 1)
    pause = Math.max(PAUSE_MILLISECONDS, PAUSE_PER_SEARCH * (performance.now() - began))
    return found
  }
  let event = await search()
  let failed: StorageError | undefined
  let hasWarned = false
  while (event === undefined) {
    const left = deadline - clock.now()
    if (left <= 0) throw failed ?? notCome(filter, seconds)
    await clock.sleep(Math.min(pause, left * 1000))
    try {
      event = await search()
      failed = undefined
    } catch (error) {
      if (!(error instanceof StorageError && error.isPassing)) throw error
      if (!hasWarned) warn(`Warning: ${error.message}; it goes on looking`)
      hasWarned = true
      failed = error
    }
  }
  return event
}

/** Describes the awaited event as `voucher.ready of RSV-1`. The filter must have been checked. */
export function awaitedText({types = [], ids = [], reservation}: EventFilter): string {
  const kinds = [...types, ...ids].join(' or ') || 'an event'
  return reservation === undefined ? kinds : `${kinds} of ${reservation}`
}

function notCome(filter: EventFilter, seconds: number | undefined): Failure {
  const chosen = filter.reservation === undefined ? '' : ` --reservation ${filter.reservation}`
  return new Failure('pending', `${awaitedText(filter)} did not come within ${seconds} s`, {
    code: 'event_missing',
    hint: `list what came: bookctl webhooks events list${chosen}; events are stored while webhooks listen runs`,
  })
}
