/** A receiver in this process, with a real port and a real events.db. */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {NewEvent} from '../../src/contract/stored-events.js'
import {EVENTS, openOwn} from '../../src/state/databases.js'
import {createEventStore, receiveEvents} from '../../src/state/event-store.js'
import {type Receipt, Receiver} from '../../src/webhooks/receive/receiver.js'
import {RECEIVER_LIMITS, type ReceiverLimits, serveReceiver} from '../../src/webhooks/receive/server.js'
import {HEADER_NAMES} from './webhook-files.js'
import {SECRET} from './webhook-load.js'

interface ReceivingOptions {
  readonly limits?: Partial<ReceiverLimits>
  readonly maxWaiting?: number
  /** Called instead of the store. Its argument `keep` stores the events. */
  readonly receive?: (
    events: readonly NewEvent[],
    keep: () => {duplicate: boolean}[],
  ) => Promise<{duplicate: boolean}[]>
  readonly clock?: () => number
}

export async function startReceiving(options: ReceivingOptions = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-receiving-'))
  const database = openOwn(EVENTS, directory)
  const store = createEventStore(database)
  const keeper = {profile: 'default', owner: 'test'}
  const receipts: Receipt[] = []
  /** Statuses of the requests that the server refused itself. */
  const refused: number[] = []
  const storeErrors: unknown[] = []
  const {receive = async (_, keep) => keep(), clock = () => Date.now() / 1000} = options
  const receiver = new Receiver({
    store: {receive: events => receive(events, () => receiveEvents(database, keeper, events))},
    secrets: () => [{name: 'whsub_1', secret: SECRET}],
    headerNames: HEADER_NAMES,
    targetsOf: () => [],
    maxWaiting: options.maxWaiting ?? 100,
    onReceipt: receipt => void receipts.push(receipt),
    onStoreError: error => storeErrors.push(error),
  })
  const served = await serveReceiver(
    {
      receiver,
      clock,
      limits: {...RECEIVER_LIMITS, ...options.limits},
      onRefused: status => refused.push(status),
    },
    {host: '127.0.0.1', port: 0, path: '/'},
  )
  return {
    port: served.port,
    receipts,
    refused,
    storeErrors,
    served,
    kept: () => store.page({}, {after: 0}, 100_000),
    async close() {
      await served.close(500)
      database.close()
      rmSync(directory, {recursive: true, force: true})
    },
  }
}
