/** A cell of the matrix, and what was seen of it. */

import type {Finished, Home} from '../support/bookctl.js'
import {certificateFile} from '../support/tls.js'
import type {WireRequest} from '../support/wire.js'
import type {Fault} from './fault.js'
import type {Row} from './fault-rows.js'

export interface Cell {
  readonly row: Row
  readonly fault: Fault
}

export interface Seen {
  readonly finished: Finished
  /** What --timeout said. */
  readonly seconds: number
  /** It had to be stopped, long after its time. */
  readonly isStopped: boolean
  /** All, and those that were struck. */
  readonly requests: readonly WireRequest[]
  readonly struck: readonly WireRequest[]
  readonly home: Home
  /** Lets the service work again. */
  readonly mend: () => void
}

export function trustOf({isTrusted}: Pick<Fault, 'isTrusted'>): string[] {
  return isTrusted ? ['--ca-file', certificateFile('ca')] : []
}

export interface Document {
  readonly error?: {
    readonly code?: string
    readonly message?: string
    readonly hint?: string
    readonly cause?: string
  }
}

export function parse(text: string): Document | undefined {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return undefined
  }
}
