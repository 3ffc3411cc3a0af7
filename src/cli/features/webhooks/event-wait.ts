/** `webhooks events wait`: waits until an event is in the store, whichever process or machine receives it. */
import type {Clock} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import type {EventFilter, EventPlace, EventStore, StoredEvent} from '../../../contract/stored-events.js'
import {StorageError} from '../../../storage/errors.js'

/** The pause between two searches. It is longer where a search of many events takes long, which would use up a processor. */
const PAUSE_MILLISECONDS = 300
const PAUSE_PER_SEARCH = 9

interface Wait {
  readonly filter: EventFilter
  /** Whether only an event counts that is stored after the wait began. */
  readonly isNew: boolean
  /** The time limit (default: none). */
  readonly seconds: number | undefined
  readonly clock: Clock
  readonly warn: (text: string) => void
}

/**
 * Returns the newest event that matches, or with `isNew` the first one stored from now on. While the store is busy or cannot be
 * reached it goes on looking, unless that was so from the start. Throws a Failure `pending` (exit 8) when the time is over, or
 * the StorageError if the store could not be searched then.
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

/** Describes the event that is waited for: `voucher.ready of RSV-1`. The filter must have been checked. */
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
