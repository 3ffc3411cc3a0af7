/** `reserve` from what was typed to what is printed: parse, plan, agree, send, show, wait. The wizard joins at plan. */
import process from 'node:process'
import {isEnded} from '../../../api/answers/reservations.js'
import {repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import {isPriceChanged, type ReserveOutcome} from '../../../api/reserve/outcome.js'
import {systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import type {Price} from '../../../contract/journal.js'
import {isPublicHost} from '../../../contract/network.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {combined} from '../../input/usage-errors.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {EXITS} from '../../shell/exit-codes.js'
import {wantsAccessible} from '../../terminal/colour.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import {openAddress} from '../../terminal/open-address.js'
import {requireConsent} from '../../terminal/prompts/ask.js'
import {jsonResult, type Result} from '../../terminal/result.js'
import {stderr} from '../../terminal/streams.js'
import {
  factsShown,
  isPaid,
  lacksAddress,
  lacksAddressText,
  nameOf,
  namingReservation,
  newestOf,
  notConfirmed,
  paymentAddress,
  paymentNote,
  qrCode,
  reservationResult,
  waitingHint,
  waitUntilConfirmed,
} from './booking.js'
import type {AllReserveFlags} from './flags.js'
import {
  atWhatPrice,
  describePlan,
  describeRepeat,
  describeRequest,
  type Plan,
  planReservation,
  requireSending,
  sendAgain,
  sendPlan,
} from './plan.js'
import {mistakesIn, readTyped, type Typed} from './request.js'
import {ReserveStop} from './stop.js'

const OF_A_NEW_RESERVATION = [
  'input',
  'client-reference',
  'pay',
  'guest',
  'contact',
  'nationality',
  'max-price',
  'idempotency-key',
] as const

export interface Booked {
  readonly plan: Plan
  /** Undefined after a dry run. */
  readonly booking: ReserveOutcome | undefined
}

/** Takes each newer state of the reservation. */
export type Learn = (newest: ReserveOutcome) => void

/** Asks a person for what was not typed. */
export interface Wizard {
  /** Asks and books, by `ReservePipeline.book`, until there is a reservation. */
  book(): Promise<Booked>
  /** Waits as long as the person likes, and offers the voucher. */
  wait(booking: ReserveOutcome, learn: Learn): Promise<Waited>
}

/** The reservation after the wait; `voucher`: the file, where it was downloaded. */
export interface Waited {
  readonly newest: ReserveOutcome
  readonly voucher?: string | undefined
}

/** Reads what the wizard starts with; throws a usage error for invalid values. */
export type OpenWizard = (pipeline: ReservePipeline, typed: Typed) => Promise<Wizard>

export class ReservePipeline {
  readonly stop = new ReserveStop()
  /** The offer of what is reserved, if this machine found it. */
  private seen: SeenOffer | undefined
  private readonly warned = new Set<string>()
  private readonly warn = (text: string) => void this.command.warn(text)

  constructor(
    readonly command: BaseCommand,
    readonly flags: AllReserveFlags,
  ) {
    command.stopNote = () => this.stop.note()
  }

  /** Reserves what was typed, or resumes, and prints. `openWizard`: where a person can be asked. Throws Failure. */
  async run(offerArgument: string | undefined, openWizard?: OpenWizard): Promise<void> {
    const {command, flags} = this
    if (flags.resume !== undefined) return this.resume(offerArgument, flags.resume)
    const typed = await readTyped(offerArgument, flags)
    const wizard = typed.lacking.length > 0 ? await openWizard?.(this, typed) : undefined
    const booked = wizard ? await wizard.book() : await this.book(typed, plan => this.agree(plan))
    if (booked?.booking) await this.show(booked.booking, wizard)
    else if (booked)
      await command.print(jsonResult(describeRequest(booked.plan.intent, await command.target())))
  }

  /** Plan, agree, send. Undefined where `agree`, which shows the plan, says no; a dry run only shows it. Throws Failure. */
  async book(typed: Typed, agree: (plan: Plan) => Promise<boolean>): Promise<Booked | undefined> {
    const {command, flags, stop} = this
    const mistakes = mistakesIn(typed)
    if (mistakes.length > 0) throw combined(mistakes)
    const target = await command.target()
    const state = await command.state()
    const plan = await planReservation(typed, flags, target, state)
    stop.planned(plan, state.remembers)
    if (flags['dry-run']) requireSending(plan)
    if (!(await agree(plan))) return undefined
    return {plan, booking: flags['dry-run'] ? undefined : await this.send(plan)}
  }

  /** What became of an earlier attempt: it was planned and agreed to then. */
  private async resume(offerArgument: string | undefined, reference: string): Promise<void> {
    const {command, flags, stop} = this
    stop.resuming(reference)
    const typed = OF_A_NEW_RESERVATION.filter(name => flags[name] !== undefined).map(name => `--${name}`)
    if (offerArgument !== undefined) typed.unshift('OFFER_ID')
    if (typed.length > 0) {
      const message = `--resume repeats the reservation unchanged; leave out: ${typed.join(', ')}`
      throw usage('invalid_input', message)
    }
    const target = await command.target()
    if (!flags['dry-run']) return this.show(await this.send())
    await command.print(jsonResult(await describeRepeat(await command.state(), reference, target)))
  }

  /** Shows what will be sent, and asks where a person can answer. */
  private async agree(plan: Plan): Promise<boolean> {
    const {command, flags} = this
    // The journal knows how this very reservation ended: nothing will be sent.
    if (plan.standing?.kind === 'resolved') return true
    for (const doubt of plan.doubts) this.warn(`Warning: ${doubt}`)
    if (flags['dry-run']) return true
    const target = await command.target()
    const question = `Reserve this${atWhatPrice(plan, target)}?`
    const agreed = await command.agreed(flags.yes, question, describePlan(plan, target))
    if (agreed === false || target.mode === 'live')
      requireConsent(agreed, {what: 'a live reservation', undone: 'nothing was sent'})
    return true
  }

  /** Sends what is planned, or without a plan what --resume means. Returns the reservation as it is now. */
  private async send(plan?: Plan): Promise<ReserveOutcome> {
    const {command, stop} = this
    const {resume = ''} = this.flags
    const connection = await command.connect()
    const lookUp = () => {
      if (plan && !connection.state.remembers) return repeatHint(plan.intent)
      return resumeCommand(plan?.intent.clientReferenceId ?? resume)
    }
    const warn = (text: string) => this.warn(`Warning: ${text}`)
    command.whenStopped(() => stop.end())
    const booking = await stop.whileSending(lookUp, hooks => {
      const options = {...hooks, warn, timeoutSeconds: command.timeoutSeconds}
      return plan ? sendPlan(connection, plan, options) : sendAgain(connection, resume, options)
    })
    this.seen = plan?.seen
    this.tellPrice(booking)
    // An earlier run or another process made it, and it may have changed since.
    const newest = booking.repeated ? await newestOf(connection, booking, this.warn) : booking
    this.tellPrice(newest)
    if (isEnded(newest.outcome)) throw notConfirmed(newest)
    return newest
  }

  /** Says where to pay, waits where that is wanted, and prints the reservation as it is then. */
  private async show(booking: ReserveOutcome, wizard?: Wizard): Promise<void> {
    const {command, flags} = this
    await namingReservation(booking, this.warn, async learn => {
      // Of a confirmed reservation nothing is left to pay here.
      if (booking.outcome !== 'confirmed') {
        this.tellPayment(booking)
        await this.showAddress(booking, wizard !== undefined || flags.wait !== undefined)
      }
      let waited: Waited = {newest: booking}
      if (wizard) waited = await wizard.wait(booking, learn)
      else if (flags.wait !== undefined) waited = {newest: await this.wait(booking, flags.wait, learn)}
      const {newest, voucher} = waited
      learn(newest)
      this.tellPrice(newest)
      const facts = command.showsRecords() ? await this.factsOf(newest, voucher) : undefined
      await command.print(reservationResult(newest, facts))
      if (isPriceChanged(newest)) command.exitCode = EXITS.not_as_agreed.code
    })
    command.stopNote = undefined
  }

  /** Waits as --wait says. */
  private async wait(booking: ReserveOutcome, seconds: number, learn: Learn): Promise<ReserveOutcome> {
    const {service = []} = this.flags
    const connection = await this.command.connect()
    // What was typed to reserve is no longer the command to run.
    this.stop.waiting(booking, () => [waitingHint(booking, connection.state.remembers), ...service].join(' '))
    const hooks = {
      warn: this.warn,
      learn: (newest: ReserveOutcome) => {
        this.tellPrice(newest)
        this.tellPayment(newest)
        this.tellAddress(newest)
        learn(newest)
      },
    }
    return waitUntilConfirmed(connection, booking, seconds, hooks)
  }

  /** Before anything else is said of it: it was booked at another price or in another currency than agreed. */
  private tellPrice(outcome: ReserveOutcome): void {
    const {agreed, booked} = outcome
    if (!agreed || !booked || !isPriceChanged(outcome)) return
    const text = ({price, currency}: Price) => moneyText({amount: price, currency})
    this.warnOnce(
      `Warning: reservation ${nameOf(outcome)} costs ${text(booked)}, and ${text(agreed)} was agreed`,
    )
  }

  private tellPayment(outcome: ReserveOutcome): void {
    const note = paymentNote(outcome, systemClock.now())
    if (note === undefined) return
    this.warnOnce(isPaid(outcome) ? `Reservation ${nameOf(outcome)}: ${note}.` : `Warning: ${note}`)
  }

  /** Shows where to pay: as a QR code, too, and in the browser with --open. */
  private async showAddress(outcome: ReserveOutcome, waits: boolean): Promise<void> {
    const {command} = this
    const address = paymentAddress(outcome)
    if (address === undefined) {
      if (lacksAddress(outcome)) for (const line of lacksAddressText(outcome)) this.warn(line)
      return
    }
    // A telephone cannot reach the sandbox of this machine.
    const isScanned = !wantsAccessible(process.env) && isPublicHost(new URL(address).hostname)
    if (command.takesNotes() && isScanned) {
      const code = await qrCode(address, stderr().columns)
      if (code !== undefined) command.note(code.split('\n'))
    }
    if (waits || command.takesNotes()) this.tellAddress(outcome)
    if (this.flags.open) openAddress(address)
  }

  /** The customer needs it before the result is there, so it is printed for a script that waits, too. */
  private tellAddress(outcome: ReserveOutcome): void {
    const address = paymentAddress(outcome)
    if (address !== undefined) this.warnOnce(`Pay at ${address}`)
  }

  private warnOnce(text: string): void {
    if (!this.warned.has(text)) this.warn(text)
    this.warned.add(text)
  }

  /** For a person: also the balance that is left, where the service says it soon. */
  private async factsOf(booking: ReserveOutcome, voucher: string | undefined): Promise<Result['facts']> {
    const {readBalance} = await import('../../../api/operations/account.js')
    const {api, clock} = await this.command.connect()
    const isConfirmed = booking.outcome === 'confirmed'
    // A reservation that is made is not shown later because of its balance.
    const balance = isConfirmed ? await readBalance(api, {timeoutSeconds: 5}) : undefined
    const {reservation, reservation_ref, status, outcome} = booking
    const named = {reservation_ref: reservation_ref ?? '', status: status ?? outcome}
    const options = {now: clock.now(), seen: this.seen, payAt: paymentAddress(booking)}
    return {
      ...factsShown({reservation: reservation ?? {}, ...named}, options),
      ...(voucher !== undefined && {voucher}),
      balance: moneyText(balance ?? null),
    }
  }
}
