/** The store of a running `listen`: events.db behind its thread, tidied now and then. */
import {EVENT_RETENTION_SECONDS} from '../state/event-store.js'
import {type EventWorker, startEventWorker} from '../state/event-worker.js'
import {createOwner} from '../state/owner.js'
import type {ForwarderParts} from '../webhooks/forwarder.js'
import type {ReceiverParts} from '../webhooks/receiver.js'

export interface ListenStore {
  readonly received: ReceiverParts['store']
  readonly forwards: ForwarderParts['store']
  /** Takes over what processes that are gone had still to hand on. Throws StorageError. */
  adopt(): Promise<void>
  close(): Promise<void>
}

/** How often events are forgotten that are old enough, and how many in one transaction. */
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
  const adopt = async () => void (await worker.adopt(owner, targets, clock()))
  await adopt().catch(async error => {
    await worker.close()
    throw error
  })
  const tidying = setInterval(() => void tidy(worker, clock), TIDY_MILLISECONDS).unref()
  return {
    received: {receive: events => worker.receive(keeper, events)},
    forwards: {
      take: (target, now, limit) => worker.take(owner, target, now, limit),
      settle: results => worker.settle(results),
    },
    adopt,
    async close() {
      clearInterval(tidying)
      await worker.close()
    },
  }
}

async function tidy(worker: EventWorker, clock: () => number): Promise<void> {
  try {
    while ((await worker.prune(clock() - EVENT_RETENTION_SECONDS, TIDY_ROWS)) === TIDY_ROWS);
  } catch {
    // What is not forgotten now is forgotten later.
  }
}
