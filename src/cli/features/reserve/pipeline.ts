/** `reserve` from what was typed to what is printed: plan, agree, send, show, wait. The wizard takes over its beginning. */
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {describeBooked, lookHint} from '../../../api/reserve/conflicts.js'
import {repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import {isPriceChanged, type ReserveOutcome} from '../../../api/reserve/outcome.js'
import type {Stage} from '../../../api/reserve/reserve.js'
import {systemClock} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {isNeverSent} from '../../../contract/journal.js'
import {isPublicHost} from '../../../contract/network.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import type {State} from '../../../state/state.js'
import type {Connection} from '../../session/connect.js'
import type {Target} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {EXITS} from '../../shell/exit-codes.js'
import type {StopNote} from '../../shell/running.js'
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
  paymentAddress,
  paymentNote,
  priceNote,
  qrCode,
  requireStanding,
  reservationResult,
  waitingHint,
  waitUntilConfirmed,
} from './booking.js'
import type {AllReserveFlags} from './flags.js'
import {
  describePlan,
  describeRepeat,
  describeRequest,
  forPrice,
  isSettled,
  makeReservation,
  modeWords,
  type Plan,
  planReservation,
  requireSending,
  type Typed,
} from './plan.js'
import {missingParts, refuseMistakes} from './request.js'

type Follow = (learn: (newest: ReserveOutcome) => void) => Promise<ReserveOutcome>

export class ReserveFlow {
  private refusedCount = 0
  private readonly warned = new Set<string>()
  /** The offer of what is reserved, if this machine found it. */
  private seen: SeenOffer | undefined
  /** The voucher's file, once it is downloaded. */
  voucher: string | undefined

  private readonly warn = (text: string) => void this.command.warn(text)

  constructor(
    readonly command: BaseCommand,
    readonly flags: AllReserveFlags,
  ) {
    const {resume} = flags
    command.stopNote = resume === undefined ? NOT_LOOKED_UP : {hint: resumeCommand(resume)}
  }

  /** Of a person who has named neither offer nor reference yet, no earlier run can have booked the same. */
  startsAnew(): void {
    this.command.stopNote = nothingSentNote()
  }

  /** Reserves what was `typed`, which must be complete, or resumes without it, and prints. Throws Failure. */
  async run(typed?: Typed): Promise<void> {
    const {command, flags} = this
    const {wait} = flags
    if (typed) refuseMistakes([...missingParts(typed.lacking), ...typed.errors])
    const target = await command.target()
    const plan = typed && (await planReservation(typed, flags, target, await command.state()))
    if (plan) command.stopNote = noteOfPlan(plan, await command.state())
    if (flags['dry-run']) return command.print(jsonResult(await this.dryRun(target, plan)))
    if (plan) await this.agree(plan, target)
    const connection = await command.connect(target)
    const booking = await this.send(connection, plan)
    await this.show(booking, wait !== undefined, async learn => {
      if (wait === undefined) return booking
      const tellAndLearn = (newest: ReserveOutcome) => {
        this.tellPrice(newest)
        this.tellPayment(newest)
        this.tellAddress(newest)
        learn(newest)
      }
      // What was typed to reserve is no longer the command to run.
      const state = `the reservation ${nameOf(booking)} was made`
      const service = this.flags.service ?? []
      const hint = [waitingHint(booking, connection.state.remembers), ...service].join(' ')
      command.stopNote = {state, hint}
      return waitUntilConfirmed(connection, booking, wait, {warn: this.warn, learn: tellAndLearn})
    })
  }

  /** From now on, a stop at a question reports that all requests so far were refused. */
  refused(): void {
    this.refusedCount++
    this.command.stopNote = nothingSentNote(this.refusedCount)
  }

  /** Sends what is planned, or resumes; after a failure that made nothing the stop note is as before. */
  async send(connection: Connection, plan: Plan | undefined): Promise<ReserveOutcome> {
    const {command} = this
    const {stopNote} = command
    this.seen = plan?.seen
    const {resume = ''} = this.flags
    const again = resumeCommand(plan?.intent.clientReferenceId ?? resume)
    const hint = plan && !connection.state.remembers ? repeatHint(plan.intent) : again
    const run = startRun(nothingSentNote(this.refusedCount), hint)
    command.stopNote = run.note
    command.whenStopped(run.stop)
    const warn = (text: string) => this.warn(`Warning: ${text}`)
    const options = {...run, warn, timeoutSeconds: command.timeoutSeconds}
    const booking = await run.follow(makeReservation(connection, plan ?? resume, options)).catch(error => {
      if (plan && madeNothing(error)) command.stopNote = stopNote
      throw error
    })
    this.tellPrice(booking)
    const newest = await newestOf(connection, booking, this.warn)
    this.tellPrice(newest)
    requireStanding(newest)
    return newest
  }

  /** Says where to pay, and prints the outcome once `follow` has it. */
  async show(booking: ReserveOutcome, waits: boolean, follow: Follow): Promise<void> {
    await namingReservation(booking, this.warn, async learn => {
      this.tellPayment(booking)
      await this.showPayment(booking, waits)
      const newest = await follow(learn)
      learn(newest)
      this.tellPrice(newest)
      const facts = this.command.showsRecords() ? await this.factsOf(newest) : undefined
      await this.command.print(reservationResult(newest, facts))
      if (isPriceChanged(newest)) this.command.exitCode = EXITS.not_as_agreed.code
    })
    this.command.stopNote = undefined
  }

  private async dryRun(target: Target, plan: Plan | undefined): Promise<object> {
    if (!plan) return describeRepeat(await this.command.state(), this.flags.resume ?? '', target)
    requireSending(plan)
    this.warnOf(plan)
    return describeRequest(plan.intent, target)
  }

  /** Shows what will be sent, and asks where a person can answer. */
  private async agree(plan: Plan, target: Target): Promise<void> {
    if (isSettled(plan)) return
    this.warnOf(plan)
    const question = `Reserve this${forPrice(plan.seen)} (${modeWords(target)})?`
    const atStake = describePlan(plan, target)
    const agreed = await this.command.agreed(this.flags.yes, question, atStake)
    if (agreed === false || target.mode === 'live') {
      requireConsent(agreed, {what: 'a live reservation', undone: 'nothing was sent'})
    }
  }

  private warnOf(plan: Plan): void {
    for (const doubt of plan.doubts) this.warn(`Warning: ${doubt}`)
  }

  /** Before anything else is said of it: it is not what was agreed to. */
  private tellPrice(outcome: ReserveOutcome): void {
    const note = priceNote(outcome)
    if (note !== undefined) this.warnOnce(`Warning: ${note}`)
  }

  private tellPayment(outcome: ReserveOutcome): void {
    const note = paymentNote(outcome, systemClock.now())
    if (note === undefined) return
    this.warnOnce(isPaid(outcome) ? `Reservation ${nameOf(outcome)}: ${note}.` : `Warning: ${note}`)
  }

  /** Shows where to pay: as a QR code, too, and in the browser with --open. */
  private async showPayment(outcome: ReserveOutcome, waits: boolean): Promise<void> {
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
  private async factsOf(booking: ReserveOutcome): Promise<Result['facts']> {
    const {readBalance} = await import('../../../api/operations/account.js')
    const {api, clock} = await this.command.connect()
    const isConfirmed = booking.outcome === 'confirmed'
    // A reservation that is made is not shown later because of its balance.
    const balance = isConfirmed ? await readBalance(api, {timeoutSeconds: 5}) : undefined
    const {reservation, reservation_ref, status, outcome} = booking
    const named = {reservation_ref: reservation_ref ?? '', status: status ?? outcome}
    const parts = {now: clock.now(), seen: this.seen, payAt: paymentAddress(booking)}
    return {
      ...factsShown({reservation: reservation ?? {}, ...named}, parts),
      ...(this.voucher !== undefined && {voucher: this.voucher}),
      balance: moneyText(balance ?? null),
    }
  }
}

/** Until the journal was read, an earlier run of the same command may have booked. */
const NOT_LOOKED_UP: StopNote = {
  state: 'nothing was sent by this command; earlier attempts could not be looked up',
  hint: 'the same command again books nothing twice; list attempts: bookctl journal',
}

/** What is certain once the journal was read, and before anything is sent. */
function noteOfPlan({standing, intent}: Plan, {remembers}: Pick<State, 'remembers'>): StopNote {
  const state = 'nothing was sent by this command'
  if (!remembers) return {state: `${state}; there is no journal of earlier ones`, hint: repeatHint(intent)}
  if (standing === undefined || isNeverSent(standing.entry)) return nothingSentNote()
  const {entry} = standing
  return {state: `${state}; an earlier one: ${describeBooked(entry)}`, hint: lookHint(entry)}
}

/** Whether a reservation failed so that none exists, of this run or another one. */
function madeNothing(error: unknown): boolean {
  if (!(error instanceof Failure)) return false
  const {code, result = {}} = error.details
  const mayExist = 'reservation_ref' in result || code === 'busy'
  return !mayExist && ['refused', 'not_allowed', 'unreachable'].includes(error.kind)
}

/** Certain when the journal has nothing and nothing was sent, and after `refused` requests. */
export function nothingSentNote(refused = 0): StopNote {
  const sent =
    refused === 1 ? 'the one request sent was refused' : `all ${refused} requests sent were refused`
  const none = 'nothing was sent to reserve, nothing was booked'
  return {state: refused === 0 ? none : `nothing was booked: ${sent}`, hint: 'to book, run the command again'}
}

/** `nothingSent`: what is certain until something is; `hint`: the command that finds out the outcome. */
export function startRun(nothingSent: StopNote, hint: string) {
  const stopping = new AbortController()
  let stage: Stage = 'waiting'
  let booking: ReserveOutcome | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let recorded: Promise<void> = Promise.resolve()
  return {
    signal: stopping.signal,
    onStage(next: Stage) {
      stage = next
    },
    onStopping(recording: Promise<void>) {
      recorded = recording
    },
    /** Returns what `sending` returns. */
    follow(sending: Promise<ReserveOutcome>) {
      const keep = (outcome: ReserveOutcome) => {
        booking = outcome
      }
      ended = sending.then(keep, () => {})
      return sending
    },
    /** Waits a moment for what was under way to be settled, and for what is recorded because of the stop. */
    async stop() {
      stopping.abort()
      // An exchange that is ended is settled at once; another process's token may be waited for longer.
      const longest = sleep(1000, undefined, {ref: false})
      await Promise.race([stage === 'sent' ? ended : recorded, longest])
    },
    note(): StopNote {
      // Without its state, which may be another by now.
      if (booking) return {state: `the reservation ${nameOf(booking)} was made`, hint}
      if (stage === 'sent') return {state: 'the request was sent, so a reservation may exist', hint}
      if (stage === 'unsent') return nothingSent
      const state = 'nothing was sent by this command, but another one may be making the same reservation'
      return {state, hint: 'check its outcome: bookctl journal'}
    },
  }
}
