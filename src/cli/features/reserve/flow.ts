/** `reserve` from what was typed to what is printed: plan, agree, send, show, wait. The wizard takes over its beginning. */
import process from 'node:process'
import {resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import type {State} from '../../../state/state.js'
import {systemClock} from '../../session/clock.js'
import type {Connection} from '../../session/connect.js'
import type {Target} from '../../session/target.js'
import type {StopNote} from '../../shell/failure.js'
import {wantsAccessible} from '../../terminal/colour.js'
import {openAddress} from '../../terminal/open-address.js'
import {requireConsent} from '../../terminal/prompts/ask.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import {jsonResult, type Result} from '../../terminal/result.js'
import {stderr} from '../../terminal/streams.js'
import type {ReserveFlagValues} from './flags.js'
import {namingReservation, newestOf, waitUntilConfirmed} from './follow.js'
import {
  isPaid,
  lacksAddress,
  lacksAddressText,
  paymentAddress,
  paymentNote,
  qrCode,
  reservationResult,
} from './payment.js'
import {
  describePlan,
  describeRequest,
  isSettled,
  modeWords,
  type Plan,
  planReservation,
  readTyped,
  stoppedBeforeSending,
  stoppedWords,
} from './plan.js'
import type {ReserveFlags} from './reservation.js'
import {
  describeRepeat,
  makeReservation,
  nameOf,
  nothingSentNote,
  requireSending,
  resumeHint,
  resumeReservation,
  startRun,
} from './run.js'

/** What the command that runs it lends. */
export interface Shell {
  target(): Promise<Target>
  state(): Promise<State>
  connect(target?: Target): Promise<Connection>
  prompts(): Promise<Prompts>
  /** Shows what is at stake, then asks; undefined when nobody can be asked. */
  agreed(yes: boolean, message: string, atStake: readonly string[]): Promise<boolean | undefined>
  /** On stderr, always. */
  warn(text: string): void
  /** On stderr, at a terminal. */
  note(lines: readonly string[]): void
  readonly takesNotes: boolean
  print(result: Result): Promise<void>
  whenStopped(tidy: () => unknown): void
  /** Sets what the user should know when a signal stops the command from now on. */
  setStopNote(note: StopNote | (() => StopNote) | undefined): void
  /** As --timeout or the settings have it, once connected. */
  readonly timeoutSeconds: number | undefined
}

export type FlowFlags = ReserveFlagValues & Pick<ReserveFlags, 'preferred'>
type Follow = (learn: (newest: ReserveOutcome) => void) => Promise<ReserveOutcome>

export class ReserveFlow {
  /** What is certain before a reservation is sent. */
  private nothingSent = stoppedWords(0)
  /** How to find out what became of the reservation that is being sent. */
  private resumeHint = ''
  private stopNote: StopNote | (() => StopNote) | undefined
  private lastPaymentNote: string | undefined

  constructor(
    readonly shell: Shell,
    readonly flags: FlowFlags,
  ) {
    const {resume} = flags
    this.stopAt(resume === undefined ? nothingSentNote(this.nothingSent) : {hint: resumeCommand(resume)})
  }

  /** With everything given: reserves, or resumes, and prints. Throws Failure. */
  async run(offerId: string | undefined): Promise<void> {
    const {shell, flags} = this
    const {resume, wait} = flags
    const typed = await readTyped(offerId, flags)
    const target = await shell.target()
    const plan = resume ? undefined : await planReservation(typed, flags, target, await shell.state())
    if (flags['dry-run']) return shell.print(jsonResult(await this.dryRun(target, plan)))
    if (plan) await this.agree(plan, target)
    const connection = await shell.connect(target)
    const made = await this.send(connection, plan)
    await this.show(made, wait !== undefined, async learn => {
      if (wait === undefined) return made
      const tellAndLearn = (newest: ReserveOutcome) => {
        this.tellPayment(newest)
        learn(newest)
      }
      return waitUntilConfirmed(connection, made, wait, {warn: shell.warn, learn: tellAndLearn})
    })
  }

  /** Tells from now on, when stopped at a question, that all requests so far were refused. */
  refused(words: string): void {
    this.nothingSent = words
    this.stopAt(nothingSentNote(words))
  }

  /** Sends what is planned, or resumes; after a failure the stop note is as before. */
  async send(connection: Connection, plan: Plan | undefined): Promise<ReserveOutcome> {
    const {shell, stopNote} = this
    const {resume = ''} = this.flags
    this.resumeHint = plan ? resumeHint(plan, connection.state) : resumeCommand(resume)
    const run = startRun(this.nothingSent, this.resumeHint)
    this.stopAt(run.note)
    shell.whenStopped(run.stop)
    const warn = (text: string) => shell.warn(`Warning: ${text}`)
    const options = {warn, signal: run.signal, onStage: run.onStage, timeoutSeconds: shell.timeoutSeconds}
    const sending = plan
      ? makeReservation(connection, plan, options)
      : resumeReservation(connection, resume, options)
    const made = await run.follow(sending).catch(error => {
      if (plan) this.stopAt(stopNote)
      throw error
    })
    return newestOf(connection, made, shell.warn)
  }

  /** Says where to pay, and prints the outcome once `follow` has it. */
  async show(made: ReserveOutcome, waits: boolean, follow: Follow): Promise<void> {
    await namingReservation(made, this.shell.warn, async learn => {
      this.tellPayment(made)
      await this.showPayment(made, waits)
      const newest = await follow(learn)
      learn(newest)
      await this.shell.print(reservationResult(newest))
    })
    this.stopAt(undefined)
  }

  private stopAt(note: StopNote | (() => StopNote) | undefined): void {
    this.stopNote = note
    this.shell.setStopNote(note)
  }

  private async dryRun(target: Target, plan: Plan | undefined): Promise<object> {
    if (!plan) return describeRepeat(await this.shell.state(), this.flags.resume ?? '', target)
    requireSending(plan)
    this.warnOf(plan)
    return describeRequest(plan.intent, target)
  }

  /** Shows what will be sent, and asks where a person can answer. */
  private async agree(plan: Plan, target: Target): Promise<void> {
    if (isSettled(plan)) return
    this.warnOf(plan)
    const question = `Reserve this (${modeWords(target)})?`
    const atStake = describePlan(plan, target).split('\n')
    const agreed = await this.shell.agreed(this.flags.yes, question, atStake).catch(error => {
      throw stoppedBeforeSending(error)
    })
    if (agreed === false || target.mode === 'live') {
      requireConsent(agreed, {what: 'a live reservation', undone: 'nothing was sent'})
    }
  }

  private warnOf(plan: Plan): void {
    for (const doubt of plan.doubts) this.shell.warn(`Warning: ${doubt}`)
  }

  /** Says once what became of the payment. */
  private tellPayment(outcome: ReserveOutcome): void {
    const note = paymentNote(outcome, systemClock.now())
    const isNews = note !== undefined && note !== this.lastPaymentNote
    if (isNews)
      this.shell.warn(isPaid(outcome) ? `Reservation ${nameOf(outcome)}: ${note}.` : `Warning: ${note}`)
    this.lastPaymentNote = note
  }

  /**
   * The address is a secret that does not belong in a log. Without a terminal it is in the result alone, and while the
   * command waits it says how to see it.
   */
  private async showPayment(outcome: ReserveOutcome, waits: boolean): Promise<void> {
    const {shell} = this
    const address = paymentAddress(outcome)
    if (address === undefined) {
      if (lacksAddress(outcome)) for (const line of lacksAddressText(outcome)) shell.warn(line)
      return
    }
    if (shell.takesNotes) {
      const code = wantsAccessible(process.env) ? undefined : await qrCode(address, stderr().columns)
      shell.note([...(code?.split('\n') ?? []), `Pay at ${address}`])
    } else if (waits) shell.warn(`It is not paid yet. To see where to pay: ${this.resumeHint}`)
    if (this.flags.open) openAddress(address)
  }
}
