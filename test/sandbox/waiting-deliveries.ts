/** A sandbox's database with many deliveries of one subscription that wait, each due at a moment of its own. */

import {MIGRATIONS} from '../../src/sandbox/store/schema.js'
import {addEvent, addSubscription} from '../../src/sandbox/store/webhooks.js'
import {openDatabase} from '../../src/storage/database.js'

const TYPE = 'reservation.confirmed'

/** Writes the file `path`: `count` deliveries to `url`, ten a second from `start` (Unix seconds) on. */
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
