/**
 * `reserve batch`, from the file to the printed result: read, plan, ask for consent, book, download vouchers, print.
 */
import {existsSync} from 'node:fs'
import {resolve} from 'node:path'
import process from 'node:process'
import {setFlagsFromString} from 'node:v8'
import {isSameCurrency, type Money} from '../../../api/answers/amounts.js'
import {readBalance} from '../../../api/operations/account.js'
import {systemClock} from '../../../contract/dates.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Journal} from '../../../contract/journal.js'
import {compareAmounts} from '../../../contract/money.js'
import {writeWholeFile} from '../../../storage/files.js'
import type {Maximum} from '../../input/checks.js'
import {checkWritable} from '../../input/files.js'
import type {Preferences, Target} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {asFailure, errorOf} from '../../shell/exit-codes.js'
import {counted, moneyText} from '../../terminal/dates-and-amounts.js'
import {isForPeople, type OutputFlags, terminalOf} from '../../terminal/output.js'
import {mayAsk, requireConsent} from '../../terminal/prompts/ask.js'
import type {Result} from '../../terminal/result.js'
import {widthOf} from '../../terminal/streams.js'
import {lookingUp, requireJournal} from '../reserve/plan.js'
import {makeDirectory, pathFor, saveVoucher} from '../reserve/voucher.js'
import {endsAll, NOT_TRIED} from '../several/each.js'
import {failedText, mayReplace} from './failed-file.js'
import type {BatchFlags} from './flags.js'
import {BatchOffers} from './offers.js'
import {inParallel} from './parallel.js'
import {doubtsOf, isNew, planRow, readCities, rowsOf, searchRequestOf} from './plan.js'
import {balanceLine, chargeLines, planLines} from './plan-lines.js'
import {BatchProgress} from './progress.js'
import {type BatchRow, type BatchTrip, countsOf, exitCodeOf, totalsOf, tripOf} from './rows.js'
import {BatchRun, type Halt, type Limit, notTried} from './run.js'
import {readTripFile, type TripFile} from './trip-file.js'

export const BATCH_COLUMNS = [
  'line',
  'client_reference_id',
  'outcome',
  'repeated',
  'reservation_ref',
  'status',
  'hotel_name',
  'check_in',
  'check_out',
  'price',
  'currency',
  'payment_url',
  'voucher',
  'error',
  'room_name',
  'board',
  'refundable',
  'free_cancellation_until',
] as const

/** The columns of a trip in a plan. */
const PLAN_COLUMNS = [
  'line',
  'client_reference_id',
  'hotel_name',
  'room_name',
  'check_in',
  'check_out',
  'price',
  'currency',
  'free_cancellation_until',
  'error',
]

const FAILED_COLUMNS = ['line', 'client_reference_id', 'outcome', 'reservation_ref', 'error']

/** How long to wait for vouchers, which are produced shortly after a reservation is confirmed. */
const VOUCHER_WAIT_SECONDS = 30

/** Maximum number of different hints that are printed. */
const MOST_HINTS = 5

/** Maximum number of planned trips that are listed. */
const MOST_SHOWN = 200

type GivenFlags = BatchFlags & OutputFlags & {readonly preferred: Preferences}

export class BatchPipeline {
  private rows: readonly BatchRow[] = []
  private run: BatchRun | undefined
  private balance: Money | undefined
  private hasPrintedLines = false
  private hasShownSummary = false
  private hasFinished = false
  /** The failure that ended the batch before its last trip. */
  private halt: Halt | undefined
  private ended: Promise<void> = Promise.resolve()
  private readonly warn = (text: string) => void this.command.warn(text)

  constructor(
    private readonly command: BaseCommand,
    private readonly flags: GivenFlags,
  ) {}

  /**
   * Books the trips of the file at `path` (`-`: standard input), and prints the outcome of each. Throws a Failure if
   * nothing can be booked, for example because the file has mistakes.
   */
  book(path: string): Promise<void> {
    const working = this.bookTrips(path)
    this.ended = working.catch(() => {})
    return working
  }

  private async bookTrips(path: string): Promise<void> {
    const {command, flags} = this
    // Otherwise V8 lets the heap grow to several times its used size: 450 MB for 10,000 trips, and 170 MB with this
    // flag.
    setFlagsFromString('--optimize-for-size')
    this.checkFiles(path)
    const file = await readTripFile(path, {inputFormat: flags['input-format'], preferred: flags.preferred})
    command.stopNote = {state: 'nothing was sent to reserve by this command', hint: AGAIN}
    const target = await command.target()
    if (!flags['dry-run'] && target.mode === 'live') requireFlagsOfLive(flags)
    const state = await command.state()
    requireJournal(state, 'reserve batch')
    const journal = state.journal.forClient(target, {isBatch: true})
    // The trips are taken out of the file, so that a row can release what it no longer needs.
    this.rows = await lookingUp(() =>
      rowsOf(file.trips.splice(0), journal, {state, target, preferred: flags.preferred}, this.warn),
    )
    const offers = new BatchOffers(
      await command.connect(),
      new Set(this.rows.flatMap(row => row.usedOfferId ?? [])),
    )
    const cities = await readCities(file, this.rows.filter(isNew), () => command.connect())
    const requestOf = ({trip}: BatchRow) => searchRequestOf(trip, cities)
    await this.plan(offers, requestOf)
    const maxTotal = await this.limit()
    const isPlan = flags['dry-run']
    if (!isPlan) {
      // A trip that is only resumed was agreed to when it was first sent.
      if (this.halt === undefined && this.rows.some(row => row.outcome === 'planned'))
        await this.agree(target)
      await this.reserveAll(journal, offers, requestOf, maxTotal)
    }
    await this.finish(file, isPlan)
  }

  /** Refuses files that would cause an error after the reservations were made. */
  private checkFiles(path: string): void {
    const {failed, vouchers, 'dry-run': isPlan} = this.flags
    if (failed !== undefined) {
      if (failed === '-') throw usage('invalid_input', '--failed: must be the name of a file')
      if (resolve(failed) === resolve(path))
        throw usage('invalid_input', '--failed: must be another file than FILE')
      checkWritable('--failed', failed)
      if (!mayReplace(failed)) {
        const problem = `--failed: ${sanitizeLine(failed, 200)} exists, and no earlier --failed wrote it`
        throw usage('file_exists', problem, 'name another file')
      }
    }
    if (vouchers !== undefined) makeDirectory('--vouchers', vouchers, isPlan)
  }

  /** Finds an offer for each new trip, until a failure occurs that would be the same for all remaining trips. */
  private async plan(offers: BatchOffers, requestOf: (row: BatchRow) => ReturnType<typeof searchRequestOf>) {
    const {flags} = this
    const rows = this.rows.filter(isNew)
    const progress = new BatchProgress('searched', rows.length, flags.quiet ?? false)
    const planOne = async (row: BatchRow) => {
      try {
        if (this.halt) throw notTried(this.halt)
        await planRow(row, requestOf(row), offers)
        for (const doubt of await doubtsOf(row)) this.warn(`Warning: ${doubt}`)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        row.fail(error)
        if (endsAll({reference: row.trip.reference, failure: error}))
          this.halt ??= {failure: error, trip: row.trip}
      }
      progress.step()
    }
    await inParallel(rows, flags.parallel, planOne).finally(() => progress.end())
  }

  /**
   * Reads the balance, and returns the limit of --max-total. A limit without a currency is in the balance's currency.
   * Throws a usage error if the plan costs more.
   */
  private async limit(): Promise<Limit | undefined> {
    const {command, flags} = this
    const most = flags['max-total']
    const usesAccount = this.rows.some(row => row.outcome === 'planned')
    const {api} = await command.connect()
    if (usesAccount || most) this.balance = await readBalance(api, {timeoutSeconds: 10})
    const maxTotal = most && limitOf(most, this.balance)
    if (maxTotal) requireWithin(this.rows, maxTotal)
    return maxTotal
  }

  /** Shows the plan and asks for consent once. Throws a usage error without consent. */
  private async agree(target: Target): Promise<void> {
    const {command, flags} = this
    const isLive = target.mode === 'live'
    const planned = this.rows.filter(row => row.outcome === 'planned')
    const totals = sumText(planned)
    const mode = isLive ? 'LIVE, with real money' : 'TEST'
    const question = `Reserve ${counted(planned.length, 'trip')}${totals === '' ? '' : ` for ${totals}`} (${mode})?`
    const preview = command.describesAhead() ? await this.describePlan() : []
    const agreed = await command.agreed(flags.yes, question, preview)
    const change = {what: 'a live reservation', undone: 'nothing was sent'}
    if (agreed === false || isLive) requireConsent(agreed, {...change, hint: LIVE_HINT})
  }

  /** Describes the plan for the question, in lines for stderr. */
  private async describePlan(): Promise<string[]> {
    const width = widthOf(process.stderr)
    const lines = await planLines(this.rows, {most: MOST_SHOWN, now: systemClock.now(), width})
    return [...lines, ...this.totalLines()]
  }

  private totalLines(): string[] {
    const planned = this.rows.filter(row => row.outcome === 'planned')
    const before = this.rows.filter(row => row.isBooked)
    const open = this.rows.filter(row => row.outcome === 'unknown')
    return [
      ...(before.length > 0 ? [`Booked before: ${counted(before.length, 'trip')}, ${sumText(before)}`] : []),
      ...(open.length > 0 ? [`To find out first: ${counted(open.length, 'trip')}, outcome unknown`] : []),
      `To book: ${counted(planned.length, 'trip')}${planned.length > 0 ? `, ${sumText(planned)}` : ''}`,
      ...chargeLines(this.balance, planned),
      ...(this.balance ? [balanceLine(this.balance, planned)] : []),
    ]
  }

  /**
   * Books the planned trips and downloads vouchers. After a signal, waits for the requests that were sent, and prints
   * the result.
   */
  private async reserveAll(
    journal: Journal,
    offers: BatchOffers,
    requestOf: (row: BatchRow) => ReturnType<typeof searchRequestOf>,
    maxTotal: Limit | undefined,
  ): Promise<void> {
    const {command, flags, rows} = this
    const connection = await command.connect()
    const progress = new BatchProgress('trips', rows.length, flags.quiet ?? false)
    const run = new BatchRun({
      connection,
      journal,
      offers,
      requestOf,
      parallel: flags.parallel,
      ratePerSecond: flags.rate,
      continues: flags.continue,
      maxTotal,
      timeoutSeconds: command.timeoutSeconds,
      warn: this.warn,
      onEnd: row => {
        progress.step(rows)
        if (flags.vouchers === undefined) this.printLine(row)
      },
    })
    run.halt = this.halt
    this.run = run
    const afterSummary = 'what was sent is settled, or reported as unknown'
    command.stopNote = () => ({state: this.hasShownSummary ? afterSummary : this.summary(), hint: AGAIN})
    command.whenStopped(async () => {
      if (!this.hasFinished) command.tell('Stopping: waiting for the answers to what was sent.')
      await run.stop()
      await this.ended
    })
    await run.book(rows).finally(() => progress.end())
    if (flags.vouchers !== undefined) await this.downloadVouchers(run, flags.vouchers)
  }

  /** Downloads the vouchers of confirmed trips. If that fails, the row gets a failure but stays confirmed. */
  private async downloadVouchers(run: BatchRun, dir: string): Promise<void> {
    const {command, flags, rows} = this
    const connection = await command.connect()
    const deadline = connection.clock.now() + VOUCHER_WAIT_SECONDS
    const progress = new BatchProgress('vouchers', rows.length, flags.quiet ?? false)
    let halt: Halt | undefined
    const download = async (row: BatchRow) => {
      const reference = row.booking?.reservation_ref
      if (row.outcome === 'confirmed' && reference && !run.isStopped) {
        const path = pathFor(reference, dir)
        try {
          // If the file exists, an earlier run has downloaded it.
          if (!existsSync(path)) {
            if (halt) throw notTried(halt)
            const wait = Math.max(0, Math.round(deadline - connection.clock.now()))
            await run.unlessStopped(saveVoucher(connection, reference, {dir, wait}, path))
          }
          row.voucher = path
        } catch (error) {
          const failure = asFailure(error)
          if (failure.kind === 'unexpected') throw error
          row.failure ??= failure
          if (endsAll({reference, failure})) halt ??= {failure, trip: row.trip}
        }
      }
      progress.step()
      this.printLine(row)
    }
    await inParallel(rows, flags.parallel, download).finally(() => progress.end())
  }

  /** With --format ndjson, prints a trip as soon as it is finished. */
  private printLine(row: BatchRow): void {
    const {command} = this
    if (!command.printsLines) return
    const trip = tripOf(row, false)
    this.printing = this.printing.then(() => command.print(this.resultOf([trip]), this.hasPrintedLines))
    this.hasPrintedLines = true
  }

  private printing: Promise<unknown> = Promise.resolve()

  /** Prints the result, writes the --failed file, and sets the exit code. */
  private async finish(file: TripFile, isPlan: boolean): Promise<void> {
    const {command, flags, rows} = this
    await this.printing
    const trips = rows.map(row => tripOf(row, isPlan))
    const counts = {...countsOf(rows, isPlan), ...(isPlan && {balance: this.balance ?? null})}
    if (flags.failed !== undefined && !isPlan) await this.writeFailed(file, flags.failed)
    if (!command.printsLines || isPlan) {
      const result = isPlan ? await this.planResult(trips) : this.endResult(trips)
      await command.print({...result, document: {batch: counts, trips}, lines: trips})
    }
    if (!flags.json) {
      command.tell(this.hints())
      command.tell(isPlan ? this.totalLines() : this.summary())
      this.hasShownSummary = !isPlan && !flags.quiet
    }
    this.hasFinished = true
    command.exitCode = exitCodeOf(rows, (this.run?.halt ?? this.halt)?.failure)
  }

  /** Returns hints for the trips that failed. Each hint occurs once, because one may apply to all. */
  private hints(): string[] {
    const hints = new Set(this.rows.flatMap(({failure}) => (failure ? errorOf(failure).hint : [])))
    const shown = [...hints].slice(0, MOST_HINTS)
    return shown.map(hint => `Hint: ${hint}`)
  }

  /** Returns the plan as a result: the same lines as before the question, or a row per trip in a pipe. */
  private async planResult(trips: readonly BatchTrip[]): Promise<Result<BatchTrip>> {
    const result = {...this.resultOf(trips), shown: PLAN_COLUMNS}
    if (!isForPeople(this.flags, process.stdout)) return result
    const {columns: width = 80, paint} = terminalOf(process.stdout)
    const lines = await planLines(this.rows, {most: trips.length, now: systemClock.now(), width, paint})
    return {...result, people: () => lines}
  }

  /**
   * Returns the outcomes of the trips as a result. A person sees only the trips that need attention; the summary counts
   * the others.
   */
  private endResult(trips: readonly BatchTrip[]): Result<BatchTrip> {
    if (!isForPeople(this.flags, process.stdout)) return this.resultOf(trips)
    const failed = trips.filter(({error}) => error !== null && error.code !== NOT_TRIED)
    const hasReference = failed.some(trip => trip.reservation_ref !== null)
    const shown = FAILED_COLUMNS.filter(name => hasReference || name !== 'reservation_ref')
    return {...this.resultOf(failed), shown}
  }

  private async writeFailed(file: TripFile, path: string): Promise<void> {
    const unsettled = this.rows
      .filter(row => !row.isBooked)
      .map(({trip, failure, outcome}) => ({
        trip,
        why: failure ? `${failure.details.code}: ${failure.message}` : outcome,
      }))
    try {
      await writeWholeFile(path, [Buffer.from(failedText(file, unsettled))], {existing: 'replace'})
    } catch (error) {
      this.warn(`Warning: --failed: ${(error as Error).message}`)
    }
  }

  private resultOf(trips: readonly BatchTrip[]): Result<BatchTrip> {
    return {
      document: {trips},
      items: trips,
      columns: BATCH_COLUMNS.map(name => ({
        name,
        value: (trip: BatchTrip) => (name === 'error' ? errorText(trip) : trip[name]),
        ...(name === 'error' && {wraps: true}),
      })),
      shown: ['line', 'client_reference_id', 'outcome', 'reservation_ref', 'price', 'currency', 'error'],
      id: trip => trip.reservation_ref,
    }
  }

  /** Returns the summary: `40 trips: 38 confirmed (12 before), 2 refused; booked: 12,340.00 EUR`. */
  private summary(): string {
    const {trips, repeated, totals, ...counts} = countsOf(this.rows, false)
    const parts = Object.entries(counts).flatMap(([name, count]) =>
      typeof count === 'number' && count > 0 ? [`${count} ${name.replace('_', ' ')}`] : [],
    )
    const before = repeated > 0 ? `; ${repeated} of them booked before` : ''
    const cost = totals.length > 0 ? `; booked: ${totals.map(moneyText).join(' + ')}` : ''
    return `${counted(trips, 'trip')}: ${parts.join(', ')}${before}${cost}`
  }
}

/** Returns the sum of the costs of rows, by currency: `1293.72 EUR + 80.00 USD`. */
function sumText(rows: readonly BatchRow[]): string {
  return totalsOf(rows.map(row => row.cost))
    .map(moneyText)
    .join(' + ')
}

const AGAIN = 'the same command again goes on where it ended, and books nothing twice'

function errorText({error}: BatchTrip): string | null {
  return error && `${error.code}: ${error.message}`
}

const LIVE_HINT = 'add --yes and --max-total AMOUNT'

/** Throws a usage error if live reservations would be made without a question, and --yes or --max-total is missing. */
function requireFlagsOfLive(flags: GivenFlags): void {
  if (mayAsk(flags) && !flags.yes) return
  const change = {what: 'a live reservation', undone: 'nothing was sent'}
  if (!flags.yes) requireConsent(undefined, {...change, hint: LIVE_HINT})
  if (flags['max-total'] !== undefined) return
  const problem =
    'live reservations with --yes need --max-total, since nobody sees the plan; nothing was sent'
  throw usage('max_total_needed', problem, 'add --max-total AMOUNT')
}

/**
 * Returns the limit with its currency. Throws a usage error if the limit has no currency and the account's is unknown.
 */
function limitOf({amount, currency}: Maximum, balance: Money | undefined): Limit {
  const known = currency ?? balance?.currency ?? undefined
  if (known !== undefined) return {amount, currency: known}
  const problem = '--max-total: the currency of the account is not known'
  throw usage('invalid_input', problem, `name it: --max-total "${amount} EUR"`)
}

/** Throws a usage error if the booked and planned trips cost more than `limit`, or cannot be compared with it. */
function requireWithin(rows: readonly BatchRow[], limit: Limit): void {
  const counted = rows.filter(row => row.isSettled)
  const unknown = counted.find(row => row.cost === undefined)
  if (unknown) {
    const problem = `--max-total: the price of line ${unknown.trip.line} is not known; nothing was sent`
    throw usage(
      'price_unknown',
      problem,
      'leave --max-total out, or search the trip in place of its offer_id',
    )
  }
  const totals = totalsOf(counted.map(row => row.cost))
  const other = totals.find(total => !isSameCurrency(total, limit))
  if (other) {
    const problem = `--max-total: ${moneyText(other)} of the plan cannot be compared with ${moneyText(limit)}; nothing was sent`
    throw usage('price_not_comparable', problem, 'search in one currency, or run a file for each')
  }
  const [total] = totals
  if (total === undefined || compareAmounts(total.amount, limit.amount) <= 0) return
  const problem = `the plan comes to ${moneyText(total)}, more than --max-total ${moneyText(limit)}; nothing was sent`
  throw usage('max_total_exceeded', problem, 'raise --max-total, or book fewer trips')
}
