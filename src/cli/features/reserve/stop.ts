/**
 * Follows the progress of `reserve`, to decide what to report if a signal stops it, and what must finish before the
 * process ends.
 */
import {setTimeout as sleep} from 'node:timers/promises'
import {describeBooked, lookHint, repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import type {ReserveOptions, Stage} from '../../../api/reserve/reserve.js'
import {Failure} from '../../../contract/failure.js'
import {isNeverSent} from '../../../contract/journal.js'
import type {StopNote} from '../../shell/running.js'
import {nameOf} from './booking.js'
import type {Plan} from './plan.js'

const NOTHING_SENT = 'nothing was sent by this command'

export class ReserveStop {
  private readonly stopping = new AbortController()
  /**
   * What to report if a signal comes while nothing is being sent. Until the journal is read, an earlier run of the same
   * command may have booked.
   */
  private before: StopNote = {
    state: `${NOTHING_SENT}; earlier attempts could not be looked up`,
    hint: 'the same command again books nothing twice; list attempts: bookctl journal',
  }
  private refusals = 0
  /** How far sending has come; undefined before it, and after an attempt that certainly made no reservation. */
  private stage: Stage | undefined
  /** Returns the command that shows the outcome of the attempt. */
  private lookUp = () => ''
  private booking: ReserveOutcome | undefined
  private sending: Promise<unknown> = Promise.resolve()
  private recording: Promise<void> = Promise.resolve()

  /** Records that --resume continues an earlier run with this client reference. */
  resuming(reference: string): void {
    this.before = {hint: resumeCommand(reference)}
  }

  /** Records that neither offer nor reference is known yet, so no earlier run can have booked the same. */
  nothingNamed(): void {
    this.before = this.nothingBooked()
  }

  /** Records that the journal was read and nothing has been sent yet. */
  planned({standing, intent}: Plan, remembers: boolean): void {
    if (!remembers)
      this.before = {
        state: `${NOTHING_SENT}; there is no journal of earlier ones`,
        hint: repeatHint(intent),
      }
    else if (standing === undefined || isNeverSent(standing.entry)) this.before = this.nothingBooked()
    else
      this.before = {
        state: `${NOTHING_SENT}; an earlier one: ${describeBooked(standing.entry)}`,
        hint: lookHint(standing.entry),
      }
  }

  /** Records that the service refused the request and the wizard continues. */
  refused(): void {
    this.refusals++
    this.before = this.nothingBooked()
  }

  /** Calls `reserve`, follows its progress through the hooks, and returns its result. */
  async whileSending(
    lookUp: () => string,
    reserve: (hooks: Pick<ReserveOptions, 'signal' | 'onStage' | 'onStopping'>) => Promise<ReserveOutcome>,
  ): Promise<ReserveOutcome> {
    this.lookUp = lookUp
    this.stage = 'waiting'
    const sending = reserve({
      signal: this.stopping.signal,
      onStage: stage => {
        this.stage = stage
      },
      onStopping: recording => {
        this.recording = recording
      },
    })
    this.sending = sending.catch(() => {})
    try {
      this.booking = await sending
      return this.booking
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      // The error shows whether this run or another one may have made a reservation.
      const {code, result = {}} = error.details
      const mayExist = 'reservation_ref' in result || code === 'busy'
      if (!mayExist && ['refused', 'not_allowed', 'unreachable'].includes(error.kind)) this.stage = undefined
      throw error
    }
  }

  /** Records that the reservation was made and its confirmation is awaited. */
  waiting(booking: ReserveOutcome, lookUp: () => string): void {
    this.booking = booking
    this.lookUp = lookUp
  }

  /**
   * Stops sending. Waits up to a second until the outcome of a running exchange, and what the stop itself changed, are
   * recorded.
   */
  async end(): Promise<void> {
    this.stopping.abort()
    // An aborted exchange is settled at once, but waiting for another process's token may take longer.
    const longest = sleep(1000, undefined, {ref: false})
    await Promise.race([this.stage === 'sent' ? this.sending : this.recording, longest])
  }

  note(): StopNote {
    // The state is left out, because it may have changed.
    if (this.booking) return {state: `the reservation ${nameOf(this.booking)} was made`, hint: this.lookUp()}
    if (this.stage === undefined) return this.before
    if (this.stage === 'unsent') return this.nothingBooked()
    if (this.stage === 'sent')
      return {state: 'the request was sent, so a reservation may exist', hint: this.lookUp()}
    const state = `${NOTHING_SENT}, but another one may be making the same reservation`
    return {state, hint: 'check its outcome: bookctl journal'}
  }

  private nothingBooked(): StopNote {
    const {refusals} = this
    const hint = 'to book, run the command again'
    if (refusals === 0) return {state: 'nothing was sent to reserve, nothing was booked', hint}
    const sent =
      refusals === 1 ? 'the one request sent was refused' : `all ${refusals} requests sent were refused`
    return {state: `nothing was booked: ${sent}`, hint}
  }
}
