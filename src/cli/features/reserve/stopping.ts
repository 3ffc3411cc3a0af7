/** A reservation that a signal stops half-way: nothing more of it is sent, and the user learns how far it had got. */
import {setTimeout as sleep} from 'node:timers/promises'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import type {Stage} from '../../../api/reserve/reserve.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {StopNote} from '../../shell/failure.js'

export interface Run {
  /** For what sends the reservation. */
  readonly signal: AbortSignal
  readonly onStage: (stage: Stage) => void
  /** Returns what `sending` returns. */
  follow(sending: Promise<ReserveOutcome>): Promise<ReserveOutcome>
  /** Stops it, and waits a moment for what was under way to be settled. */
  stop(): Promise<void>
  /** What is true of it now. */
  note(): StopNote
}

/** Ours: an exchange that is ended is settled at once; another process's token may be waited for longer. */
const MOST_MILLISECONDS = 1000

/** What is true while nothing was sent. */
export function nothingSentNote(state: string): StopNote {
  return {state, hint: 'to book, run the command again'}
}

/** `nothingSent` says that nothing was sent; `resumeHint` is the command that finds out what became of what was. */
export function startRun(nothingSent: string, resumeHint: string): Run {
  const stopping = new AbortController()
  let stage: Stage = 'waiting'
  let made: ReserveOutcome | undefined
  let ended: Promise<void> = Promise.resolve()
  return {
    signal: stopping.signal,
    onStage(next) {
      stage = next
    },
    follow(sending) {
      ended = sending.then(
        outcome => {
          made = outcome
        },
        () => {},
      )
      return sending
    },
    async stop() {
      stopping.abort()
      if (stage === 'sent') await Promise.race([ended, sleep(MOST_MILLISECONDS, undefined, {ref: false})])
    },
    note() {
      if (made) return {state: madeText(made), hint: resumeHint}
      if (stage === 'sent') return {hint: resumeHint}
      return stage === 'unsent' ? nothingSentNote(nothingSent) : WAITING
    },
  }
}

const WAITING: StopNote = {
  state: 'nothing was sent by this command, but another one may be making the same reservation',
  hint: 'see what became of it: bookctl journal',
}

/** Names the reservation without its state, which may be another by now. */
function madeText({reservation_ref, client_reference_id}: ReserveOutcome): string {
  const name = reservation_ref ?? `with the client reference ${client_reference_id}`
  return `the reservation ${sanitizeLine(name, 128)} was made`
}
