/** Creates the database of a sandbox in which many deliveries of one subscription wait, each due at a different time. */

import {MIGRATIONS} from '../../src/sandbox/store/schema.js'
import {addEvent, addSubscription} from '../../src/sandbox/store/webhooks.js'
import {openDatabase} from '../../src/storage/database.js'

const TYPE = 'reservation.confirmed'

/** Writes the database `path` with `count` deliveries to `url`, of which ten fall due each second from `start` (Unix seconds). */
export function writeWaiting(path: string, url: string, count: number, start: number): void {
  const database = openDatabase(':memory:', {migrations: MIGRATIONS})
  database.transaction(() => {
    const subscription = {id: 'whsub_1', url, events: [TYPE], is_active: true}
    addSubscription(database, 'cid_sandbox', subscription, 'whsec_1')
    for (let index = 0; index < count; index += 1) {
      const data = {reservation_ref: `RSV-${index}`}
      addEvent(database, {clientId: 'cid_sandbox', type: TYPE, data, now: start + index / 10})
    }
  })
  database.run('VACUUM INTO ?', path)
  database.close()
}
