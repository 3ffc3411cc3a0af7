/** The store of a running `listen`: events.db behind its thread, tidied now and then. */
import {EVENT_RETENTION_SECONDS} from '../../../state/event-store.js'
import {type EventWorker, startEventWorker} from '../../../state/event-worker.js'
import {createOwner} from '../../../storage/owner.js'
import type {ForwarderParts} from '../../../webhooks/forward/forwarder.js'
import type {ReceiverParts} from '../../../webhooks/receive/receiver.js'

export interface ListenStore {
  readonly received: ReceiverParts['store']
  readonly forwards: ForwarderParts['store']
  close(): Promise<void>
}

/** How often old events are forgotten and hand-overs taken over, and how many in one transaction. */
const TIDY_MILLISECONDS = 60_000
const TIDY_ROWS = 500

export interface StoreParts {
  readonly directory: string
  readonly profile: string
  readonly targets: readonly string[]
  /** Unix seconds. */
  readonly clock: () => number
}

/** Opens it. Throws StorageError when it cannot be used: nothing may be answered 200 then. */
export async function openListenStore({
  directory,
  profile,
  targets,
  clock,
}: StoreParts): Promise<ListenStore> {
  const worker = startEventWorker(directory)
  const owner = createOwner()
  const keeper = {profile, owner}
  // What processes that are gone had still to hand on is ours now.
  const adopt = () => worker.adopt(owner, targets, clock())
  await adopt().catch(async error => {
    await worker.close()
    throw error
  })
  const tidying = setInterval(
    () => void tidy(worker, clock).then(adopt).catch(NEXT_TIME),
    TIDY_MILLISECONDS,
  ).unref()
  return {
    received: {receive: events => worker.receive(keeper, events)},
    forwards: {
      take: (target, now, limit) => worker.take(owner, target, now, limit),
      settle: results => worker.settle(results),
    },
    async close() {
      clearInterval(tidying)
      await worker.close()
    },
  }
}

async function tidy(worker: EventWorker, clock: () => number): Promise<void> {
  while ((await worker.prune(clock() - EVENT_RETENTION_SECONDS, TIDY_ROWS)) === TIDY_ROWS);
}

/** A store that is busy is tidied the next time. */
const NEXT_TIME = () => {}
