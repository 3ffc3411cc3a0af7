/**
 * Runs `reserve` from the command line to the printed result: read, plan, agree, send, show, wait. At a terminal, a
 * wizard asks for missing values before the plan.
 */
import process from 'node:process'
import {isEnded} from '../../../api/answers/reservations.js'
import {describeBooked, repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import {bookingOf, isPriceChanged, type ReserveOutcome} from '../../../api/reserve/outcome.js'
import {systemClock} from '../../../contract/dates.js'
import {Failure, usage} from '../../../contract/failure.js'
import {BEGUN_ELSEWHERE, type JournalEntry, type Price, verdictOn} from '../../../contract/journal.js'
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
import {differencesFrom, findBooked} from './booked.js'
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
  chargeAhead,
  cityOf,
  describePlan,
  describeRepeat,
  describeRequest,
  type Plan,
  planReservation,
  requireSending,
  reservePlan,
  resumeReference,
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
  'unless-booked',
] as const

export interface Booked {
  /** Undefined if --unless-booked found an earlier booking. */
  readonly plan?: Plan
  /** Undefined after a dry run. */
  readonly booking: ReserveOutcome | undefined
}

/** Is called with each newer state of the reservation. */
export type Learn = (newest: ReserveOutcome) => void

/** Asks a person for the values that are missing on the command line. */
export interface Wizard {
  /** Asks, and books with `ReservePipeline.book`, until a reservation is made. */
  book(): Promise<Booked>
  /** Waits as long as the person wants, and offers to download the voucher. */
  wait(booking: ReserveOutcome, learn: Learn): Promise<Waited>
}

/** The reservation after the wait. `voucher` is the file of the voucher, if it was downloaded. */
export interface Waited {
  readonly newest: ReserveOutcome
  readonly voucher?: string | undefined
}

/** Opens the wizard with the values of the command line. Throws a usage error if one is invalid. */
export type OpenWizard = (pipeline: ReservePipeline, typed: Typed) => Promise<Wizard>

export class ReservePipeline {
  readonly stop = new ReserveStop()
  /** The offer to reserve, if a search on this machine found it. */
  private seen: SeenOffer | undefined
  private readonly warned = new Set<string>()
  private readonly warn = (text: string) => void this.command.warn(text)

  constructor(
    readonly command: BaseCommand,
    readonly flags: AllReserveFlags,
  ) {
    command.stopNote = () => this.stop.note()
  }

  /**
   * Reserves or resumes, and prints the result. Without `openWizard`, no questions are asked. Throws what `book` throws,
   * and a usage error if --resume is combined with values of a new reservation.
   */
  async run(offerArgument: string | undefined, openWizard?: OpenWizard): Promise<void> {
    const {command, flags} = this
    if (flags.resume !== undefined) return this.resume(offerArgument, flags.resume)
    const typed = await readTyped(offerArgument, flags)
    // With --unless-booked nothing is asked, because the flag is for scripts, which give all values.
    const asks = typed.lacking.length > 0 && !flags['unless-booked']
    const wizard = asks ? await openWizard?.(this, typed) : undefined
    const booked = wizard ? await wizard.book() : await this.book(typed, plan => this.agree(plan))
    if (booked?.booking) await this.show(booked.booking, wizard)
    else if (booked?.plan)
      await command.print(jsonResult(describeRequest(booked.plan.intent, await command.target())))
  }

  /**
   * Plans, agrees and sends. `agree` shows the plan and returns false if the person declines; then the result is
   * undefined. A dry run sends nothing. Throws a usage error if the request is wrong or consent is missing, a Failure of
   * kind `refused` if the reservation has ended, for example because it was cancelled, and what `reserve` of the API
   * throws.
   */
  async book(typed: Typed, agree: (plan: Plan) => Promise<boolean>): Promise<Booked | undefined> {
    const {command, flags, stop} = this
    const mistakes = mistakesIn(typed)
    if (mistakes.length > 0) throw combined(mistakes)
    const target = await command.target()
    const state = await command.state()
    const {client_reference_id: reference = ''} = typed.request
    const earlier = flags['unless-booked'] && (await findBooked(state, target, reference))
    if (earlier) return {booking: await this.takeBooked(earlier, typed)}
    const plan = await planReservation(typed, flags, target, state)
    stop.planned(plan, state.remembers)
    if (flags['dry-run']) requireSending(plan)
    if (!(await agree(plan))) return undefined
    if (flags['dry-run']) return {plan, booking: undefined}
    const booking = await this.reserveOrResume(plan, plan.intent.clientReferenceId).catch(async error => {
      // Another process has booked the reference, or begun to, since the journal was read.
      const code = error instanceof Failure ? error.details.code : undefined
      const isTaken = code === 'reference_in_use' || code === BEGUN_ELSEWHERE
      if (!isTaken || !flags['unless-booked']) throw error
      const taken = await findBooked(state, target, reference, {isStarted: true})
      if (!taken) throw error
      return this.takeBooked(taken, typed)
    })
    return {plan, booking}
  }

  /**
   * Returns the reservation of an earlier attempt with the same client reference, and warns how the request differs
   * from it. An attempt with an unknown outcome is resumed. A dry run prints what is known, and returns undefined.
   */
  private async takeBooked(entry: JournalEntry, typed: Typed): Promise<ReserveOutcome | undefined> {
    const {command, flags, stop} = this
    const {clientReferenceId: reference} = entry
    stop.resuming(reference)
    const target = await command.target()
    const state = await command.state()
    const differences = await differencesFrom(entry, typed, flags, target, state)
    if (differences.length > 0) {
      const used = `the client reference ${reference} is used already: ${describeBooked(entry)}`
      this.warn(`Warning: ${used}; this request is not sent, and differs: ${differences.join(', ')}`)
    }
    if (!flags['dry-run']) return this.reserveOrResume(undefined, reference)
    if (verdictOn(entry, target).kind !== 'resolved') {
      await command.print(jsonResult(await describeRepeat(state, reference, target)))
      return undefined
    }
    const booking = bookingOf(entry)
    this.tellPrice(booking)
    if (isEnded(booking.outcome)) throw notConfirmed(booking)
    await command.print(reservationResult(booking))
    if (isPriceChanged(booking)) command.exitCode = EXITS.not_as_agreed.code
    return undefined
  }

  /** Resumes an earlier attempt without a question, because it was agreed to when it was planned. */
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
    if (!flags['dry-run']) return this.show(await this.reserveOrResume(undefined, reference))
    await command.print(jsonResult(await describeRepeat(await command.state(), reference, target)))
  }

  /** Shows to a person what will be sent, and asks for consent if a question is possible. */
  private async agree(plan: Plan): Promise<boolean> {
    const {command, flags} = this
    // The journal has the outcome of this reservation, so nothing will be sent.
    if (plan.standing?.kind === 'resolved') return true
    for (const doubt of plan.doubts) this.warn(`Warning: ${doubt}`)
    if (flags['dry-run']) return true
    const target = await command.target()
    const describes = command.describesAhead()
    const charge = describes ? await this.chargeOf(plan) : undefined
    const question = `Reserve this${atWhatPrice(plan, target, charge)}?`
    const city = describes ? cityOf(plan.seen, {state: await command.state(), target}) : undefined
    const preview = describes ? describePlan(plan, target, {charge, city}) : []
    const agreed = await command.agreed(flags.yes, question, preview)
    if (agreed === false || target.mode === 'live')
      requireConsent(agreed, {what: 'a live reservation', undone: 'nothing was sent'})
    return true
  }

  /** Returns what the account will be charged; undefined if it is the price. */
  private chargeOf(plan: Plan) {
    return chargeAhead(plan, async () => {
      const {readBalance} = await import('../../../api/operations/account.js')
      const {api} = await this.command.connect()
      // A short time limit, because the question waits for the answer.
      return readBalance(api, {timeoutSeconds: 5})
    })
  }

  /** Reserves as planned, or resumes `reference` if there is no plan. Returns the reservation in its current state. */
  private async reserveOrResume(plan: Plan | undefined, reference: string): Promise<ReserveOutcome> {
    const {command, stop} = this
    const connection = await command.connect()
    const lookUp = () => {
      if (plan && !connection.state.remembers) return repeatHint(plan.intent)
      return resumeCommand(reference)
    }
    const warn = (text: string) => this.warn(`Warning: ${text}`)
    command.whenStopped(() => stop.end())
    const booking = await stop.whileSending(lookUp, hooks => {
      const options = {...hooks, warn, timeoutSeconds: command.timeoutSeconds}
      return plan ? reservePlan(connection, plan, options) : resumeReference(connection, reference, options)
    })
    this.seen = plan?.seen
    this.tellPrice(booking)
    // The reservation was made by an earlier run or another process, so its state may have changed since.
    const newest = booking.repeated ? await newestOf(connection, booking, this.warn) : booking
    this.tellPrice(newest)
    if (isEnded(newest.outcome)) throw notConfirmed(newest)
    return newest
  }

  /** Shows where to pay, waits if requested, and prints the reservation in its latest state. */
  private async show(booking: ReserveOutcome, wizard?: Wizard): Promise<void> {
    const {command, flags} = this
    await namingReservation(booking, this.warn, async learn => {
      // For a confirmed reservation, nothing is left to pay here.
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

  /** Waits for the confirmation for at most `seconds`, the value of --wait. */
  private async wait(booking: ReserveOutcome, seconds: number, learn: Learn): Promise<ReserveOutcome> {
    const {service = []} = this.flags
    const connection = await this.command.connect()
    // From here on, a stop suggests the command that continues the wait, not the typed one.
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

  /** Warns, before anything else is printed, if the booked price or currency differs from the agreed one. */
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

  /** Shows the payment address, as text and as a QR code, and opens it in the browser with --open. */
  private async showAddress(outcome: ReserveOutcome, waits: boolean): Promise<void> {
    const {command} = this
    const address = paymentAddress(outcome)
    if (address === undefined) {
      if (lacksAddress(outcome)) for (const line of lacksAddressText(outcome)) this.warn(line)
      return
    }
    // A phone cannot reach a sandbox on this machine.
    const isScanned = !wantsAccessible(process.env) && isPublicHost(new URL(address).hostname)
    if (command.takesNotes() && isScanned) {
      const code = await qrCode(address, stderr().columns)
      if (code !== undefined) command.note(code.split('\n'))
    }
    if (waits || command.takesNotes()) this.tellAddress(outcome)
    if (this.flags.open) openAddress(address)
  }

  /**
   * Prints the payment address before the result. A script that waits gets it too, because the customer must pay
   * meanwhile.
   */
  private tellAddress(outcome: ReserveOutcome): void {
    const address = paymentAddress(outcome)
    if (address !== undefined) this.warnOnce(`Pay at ${address}`)
  }

  private warnOnce(text: string): void {
    if (!this.warned.has(text)) this.warn(text)
    this.warned.add(text)
  }

  /** Returns the facts for a person, with the account balance if the service answers soon. */
  private async factsOf(booking: ReserveOutcome, voucher: string | undefined): Promise<Result['facts']> {
    const {readBalance} = await import('../../../api/operations/account.js')
    const {api, clock} = await this.command.connect()
    const isConfirmed = booking.outcome === 'confirmed'
    // A short time limit, because the result waits for the balance.
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
