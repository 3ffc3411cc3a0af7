/** The state a new sandbox begins with, and the way back to it. */

import type {Service} from '../base/service.js'
import {addStartUpClients} from '../store/clients.js'
import {addSearchTexts} from '../store/reservations.js'
import {TABLES} from '../store/schema.js'
import {ensureVoucherSecret} from '../voucher/link.js'

/** Adds what a sandbox cannot be without, unless it is there. */
export function prepareState(service: Service): void {
  service.database.transaction(() => {
    ensureVoucherSecret(service.database)
    addStartUpClients(service.database, service.clock.now())
    addSearchTexts(service.database)
  })
}

/** Forgets everything: reservations, tokens, events, subscriptions, faults, and how far the clock was moved or is just being moved. */
export function resetState(service: Service): void {
  service.timeMover.stop()
  service.database.transaction(() => {
    for (const table of TABLES) service.database.run(`DELETE FROM ${table}`)
    prepareState(service)
  })
  service.faults.clear()
  service.requests.clear()
  service.droppedReferences.clear()
}
