import process from 'node:process'
import * as Args from '@oclif/core/args'
import {resumeCommand} from '../api/reserve/failures.js'
import type {ReserveOutcome} from '../api/reserve/outcome.js'
import {newestOf} from '../cli/features/reserve/current.js'
import {type ReserveFlagValues, reserveFlags} from '../cli/features/reserve/flags.js'
import {namingReservation} from '../cli/features/reserve/made.js'
import {
  lacksAddress,
  lacksAddressText,
  paymentAddress,
  paymentNote,
  qrCode,
} from '../cli/features/reserve/payment.js'
import {TEMPLATE} from '../cli/features/reserve/reservation.js'
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
} from '../cli/features/reserve/reserve.js'
import {RESERVATION_COLUMNS, reservationResult} from '../cli/features/reserve/result.js'
import {
  describeRepeat,
  makeReservation,
  requireSending,
  resumeHint,
  resumeReservation,
} from '../cli/features/reserve/run.js'
import {nothingSentNote, startRun} from '../cli/features/reserve/stopping.js'
import {waitUntilConfirmed} from '../cli/features/reserve/waiting.js'
import type {Connection} from '../cli/session/connect.js'
import type {Target} from '../cli/session/target.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {wantsAccessible} from '../cli/terminal/colour.js'
import {openAddress} from '../cli/terminal/open-address.js'
import {mayAsk, requireConsent} from '../cli/terminal/prompts/ask.js'
import {jsonResult} from '../cli/terminal/result.js'
import {stderr} from '../cli/terminal/streams.js'

export default class Reserve extends BaseCommand {
  static override summary = 'Convert an offer into a reservation.'
  static override description =
    `The reservation is written down before it is sent, with its Idempotency-Key: the same command run again, or killed and run
again, never books twice. When the answer is lost the exit code is 10, and --resume finds out what happened. The input file
is the request of the service, with fields as --template prints them; flags win over it.
In --guest, identity numbers may be written tc=… or passport=…; type is ADULT unless told, the first guest leads, and the
nationality is the client's. At a terminal, what is missing is asked for: without arguments that is the whole booking, from
the search to the voucher, and nothing is sent before the one confirmation. People are kept on this machine only where you
agree; the list of guests offers to forget them, and logout --all forgets all. Environment: those of every command.`
  static override examples = [
    'bookctl reserve "$OFFER" --pay account --guest name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,tc=10000000146 --guest name=Can,surname=Öğüt,birth_date=1988-07-12,gender=MALE,passport=U1234567 --contact name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
    'bookctl reserve --input reservation.json --client-reference TRIP-7 --max-price 900 --dry-run',
    'bookctl reserve --template',
  ]
  static override columns = RESERVATION_COLUMNS
  static override candidates = {offer_id: 'offers', resume: 'client-references'} as const
  static override args = {
    offer_id: Args.string({description: 'the offer, as hotels search prints it'}),
  }
  static override flags = reserveFlags

  /** What is certain before a reservation is sent. */
  private nothingSent = stoppedWords(0)
  /** How to find out what became of the reservation that is being sent. */
  private resumeHint = ''
  /** What was said last of a payment that did not go through. */
  private paymentTold: string | undefined

  async run(): Promise<void> {
    const {args, flags: typedFlags} = await this.parse(Reserve)
    if (typedFlags.template) return this.print(jsonResult(TEMPLATE))
    const {resume} = typedFlags
    this.stopNote = resume === undefined ? nothingSentNote(this.nothingSent) : {hint: resumeCommand(resume)}
    const flags = {...typedFlags, preferred: await this.preferences()}
    if (this.mayLead(flags) && (await this.lead(args.offer_id, flags))) return
    const typed = await readTyped(args.offer_id, flags)
    const target = await this.target()
    const plan = flags.resume ? undefined : await planReservation(typed, flags, target, await this.state())
    if (flags['dry-run']) return this.print(jsonResult(await this.dryRun(target, plan, flags.resume)))
    if (plan) await this.agree(plan, target, flags.yes)
    const connection = await this.connect(target)
    const made = await this.make(connection, plan, flags.resume)
    const warn = (text: string) => void this.warn(text)
    await this.show(made, {open: flags.open, waits: flags.wait !== undefined}, async learn => {
      const tellAndLearn = (newest: ReserveOutcome) => {
        this.tellPayment(newest)
        learn(newest)
      }
      if (flags.wait === undefined) return made
      return waitUntilConfirmed(connection, made, flags.wait, {warn, learn: tellAndLearn})
    })
  }

  /** Whether the wizard may ask for what is missing. */
  private mayLead({resume, input}: ReserveFlagValues): boolean {
    return mayAsk(this.globals) && resume === undefined && input !== '-'
  }

  /** Runs the booking wizard when something is missing, and what follows any reservation. Returns whether it did. */
  private async lead(offerId: string | undefined, flags: ReserveFlagValues): Promise<boolean> {
    const wizard = await import('../cli/features/wizard/wizard.js')
    const begun = await wizard.readBegun(offerId, flags)
    if (!begun) return false
    const connection = await this.connect()
    const parts = {connection, prompts: await this.prompts(), tell: (text: string) => this.tellLines(text)}
    const {plan, made} = await wizard.runWizard(
      {
        ...parts,
        ...wizard.choicesOf(flags),
        send: chosen => this.send(connection, chosen),
        refused: words => {
          this.nothingSent = words
          this.stopNote = nothingSentNote(words)
        },
      },
      begun,
    )
    if (made === undefined) {
      await this.print(
        jsonResult(describeRequest(plan.intent.idempotencyKey, plan.request, connection.target)),
      )
    } else
      await this.show(made, {open: flags.open, waits: true}, learn =>
        wizard.accompany({...parts, learn}, made, flags.wait),
      )
    return true
  }

  private tellLines(text: string): void {
    for (const line of text.split('\n')) this.warn(line)
  }

  /** Sends what the wizard planned; after a refusal nothing is sent, as before. */
  private send(connection: Connection, plan: Plan): Promise<ReserveOutcome> {
    const before = this.stopNote
    const restore = (error: unknown) => {
      this.stopNote = before
      throw error
    }
    return this.make(connection, plan).catch(restore)
  }

  private async dryRun(target: Target, plan: Plan | undefined, resume = ''): Promise<object> {
    if (plan) {
      requireSending(plan)
      this.warnOf(plan)
      return describeRequest(plan.intent.idempotencyKey, plan.request, target)
    }
    return describeRepeat(await this.state(), resume, target)
  }

  /** Shows what will be sent, and asks when somebody is there to answer. */
  private async agree(plan: Plan, target: Target, yes: boolean): Promise<void> {
    if (isSettled(plan)) return
    this.warnOf(plan)
    const atStake = describePlan(plan, target).split('\n')
    const ask = () => this.agreed(yes, `Reserve this (${modeWords(target)})?`, atStake)
    const stopped = (error: unknown) => {
      throw stoppedBeforeSending(error)
    }
    const agreed = await ask().catch(stopped)
    if (agreed === false || target.mode === 'live') {
      requireConsent(agreed, {what: 'a live reservation', undone: 'nothing was sent'})
    }
  }

  private warnOf(plan: Plan): void {
    for (const doubt of plan.doubts) this.warn(`Warning: ${doubt}`)
  }

  private async make(connection: Connection, plan: Plan | undefined, resume = ''): Promise<ReserveOutcome> {
    const {timeoutSeconds} = this
    this.resumeHint = plan ? resumeHint(plan, connection.state) : resumeCommand(resume)
    const run = startRun(this.nothingSent, this.resumeHint)
    this.stopNote = run.note
    this.whenStopped(run.stop)
    const warn = (text: string) => void this.warn(`Warning: ${text}`)
    const hooks = {warn, signal: run.signal, onStage: run.onStage}
    const made = await run.follow(
      plan
        ? makeReservation(connection, plan, timeoutSeconds, hooks)
        : resumeReservation(connection, resume, timeoutSeconds, hooks),
    )
    return newestOf(connection, made, text => this.warn(text))
  }

  /** Where to pay, and the outcome once `follow` has it. */
  private async show(
    made: ReserveOutcome,
    {open, waits}: {open: boolean; waits: boolean},
    follow: (learn: (newest: ReserveOutcome) => void) => Promise<ReserveOutcome>,
  ): Promise<void> {
    const warn = (text: string) => void this.warn(text)
    await namingReservation(made, warn, async learn => {
      this.tellPayment(made)
      await this.showPayment(made, {open, waits})
      const newest = await follow(learn)
      learn(newest)
      await this.print(reservationResult(newest))
    })
    this.stopNote = undefined
  }

  /** Says once of a payment that it did not go through. */
  private tellPayment(outcome: ReserveOutcome): void {
    const note = paymentNote(outcome)
    if (note !== undefined && note !== this.paymentTold) this.warn(`Warning: ${note}`)
    this.paymentTold = note
  }

  /**
   * The address is a secret: it is no talk for a file of logs. Where nobody is at a terminal the result has it, and while it
   * is waited for whoever is to pay is told how to see it.
   */
  private async showPayment(
    outcome: ReserveOutcome,
    {open, waits}: {open: boolean; waits: boolean},
  ): Promise<void> {
    const address = paymentAddress(outcome)
    if (address === undefined) {
      if (lacksAddress(outcome)) for (const line of lacksAddressText(outcome)) this.warn(line)
      return
    }
    if (this.takesNotes()) {
      const code = wantsAccessible(process.env) ? undefined : await qrCode(address, stderr().columns)
      this.note([...(code?.split('\n') ?? []), `Pay at ${address}`])
    } else if (waits) this.warn(`It has to be paid. Where: ${this.resumeHint}`)
    if (open) openAddress(address)
  }
}
