/**
 * Runs the same work for several references, one after another, and goes on after a failure. Decides which failures end
 * the run, what is printed, and the exit code.
 */
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {Failure} from '../../../contract/failure.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {asFailure, type Described, EXITS, errorOf} from '../../shell/exit-codes.js'
import {formatOf, type OutputFlags} from '../../terminal/output.js'
import type {Column, Result} from '../../terminal/result.js'

/** Outcome of one reference: either `done` or `failure` is set. */
export interface Outcome<Done> {
  readonly reference: string
  readonly done?: Done
  readonly failure?: Described
  /** The thrown error if it was a bug, not an expected failure. */
  readonly bug?: unknown
}

/** How the outcomes are printed. */
interface Form<Done> {
  /** Key of the list in the JSON document, for example `vouchers`. */
  readonly key: string
  /**
   * Returns the entry of one reference in that list, without its error. Values that a failed reference does not have
   * are null.
   */
  readonly entry: (reference: string, done: Done | undefined, failure: Described | undefined) => object
  /**
   * Returns the columns of a reference that is done, by their names. For others, only the column of the reference is
   * filled in.
   */
  readonly row: (done: Done) => object
  readonly columns: readonly string[]
  readonly shown: readonly string[]
  /** The column that `--quiet` prints. */
  readonly id: string
}

interface Work<Done> extends Form<Done> {
  readonly attempt: (reference: string) => Promise<Done>
  /** Returns the outcome of a reference if it is known beforehand; the reference is then not attempted. */
  readonly known?: (reference: string) => Outcome<Done> | undefined
  /** Is called with the step that begins, such as `2 of 5`, to show it while waiting. */
  readonly atStep: (step: string) => void
  /** Returns the failure of the reference that is being worked on when the command is stopped (default: not done). */
  readonly underWay?: (reference: string) => Failure
}

/** Help text: what several references mean to a command. */
export const SEVERAL_NOTE = `Several references are worked on in order, going on after one that fails; - reads them from standard input. The exit
code is then ${EXITS.not_as_agreed.code} if some failed, and that of the reason if all failed for one. What would fail for all of them (401, 403, 429, a
service that is down) ends the run, and the others are reported as not tried.`

/** Name of the column, and of the key of an entry, with the error of a reference. */
export const ERROR_COLUMN = 'error'

/** How long the work on the current reference may go on after a signal. */
const MOST_ENDING_MILLISECONDS = 700

/**
 * Works on each reference in order and prints the outcomes: each as soon as it is known if the format has rows,
 * otherwise all at the end. After a signal, waits a moment for the current reference, and prints what was done. Sets
 * the exit code of the command. Throws an error that is a bug, after printing.
 */
export async function workOnEach<Done>(
  command: BaseCommand,
  flags: OutputFlags,
  references: readonly string[],
  work: Work<Done>,
): Promise<void> {
  const stopping = new AbortController()
  const printer = new OutcomePrinter(command, flags, work)
  let ended = 0
  const working = attemptEach(references, {
    attempt: work.attempt,
    known: work.known,
    before: index => work.atStep(`${index + 1} of ${references.length}`),
    after: async outcome => {
      ended += outcome.failure?.details.code === NOT_TRIED ? 0 : 1
      await printer.take(outcome)
    },
    stopped: stopping.signal,
    underWay: work.underWay,
  }).then(async outcomes => {
    await printer.end()
    return outcomes
  })
  command.stopNote = () => {
    const state = `${ended} of ${references.length} were worked on, the others were not tried`
    return {state, hint: 'run the command again with those that are left'}
  }
  command.whenStopped(async () => {
    stopping.abort()
    await working.catch(() => {})
  })
  const outcomes = await working
  command.exitCode = exitCodeOf(outcomes)
  const broken = outcomes.find(({bug}) => bug !== undefined)
  if (broken) throw broken.bug
}

interface Attempts<Done> {
  readonly attempt: (reference: string) => Promise<Done>
  readonly known?: ((reference: string) => Outcome<Done> | undefined) | undefined
  /** Is called before each attempt, with its index from 0. */
  readonly before?: (index: number) => void
  /** Is called and awaited after each reference, also one that was not tried. */
  readonly after?: (outcome: Outcome<Done>) => Promise<void>
  /** When aborted, no further attempt begins, and the current one is given up after a moment. */
  readonly stopped?: AbortSignal
  readonly underWay?: ((reference: string) => Failure) | undefined
}

/**
 * Attempts each reference in order and returns the outcomes. After a failure that all others would have too, the
 * remaining ones are not tried. Throws only what `before` and `after` throw.
 */
export async function attemptEach<Done>(
  references: readonly string[],
  {attempt, known: knownOf, before, after, stopped, underWay = interrupted}: Attempts<Done>,
): Promise<Outcome<Done>[]> {
  const outcomes: Outcome<Done>[] = []
  let end: Outcome<Done> | undefined
  for (const [index, reference] of references.entries()) {
    const known = knownOf?.(reference)
    let outcome: Outcome<Done>
    if (known) outcome = known
    else if (end) outcome = notTriedAfter(reference, end)
    else if (stopped?.aborted) outcome = {reference, failure: interrupted(reference)}
    else {
      before?.(index)
      const givenUp = () => ({reference, failure: underWay(reference)})
      outcome = await unlessStopped(outcomeOf(reference, attempt), stopped, givenUp)
      if (endsAll(outcome)) end = outcome
    }
    outcomes.push(outcome)
    await after?.(outcome)
  }
  return outcomes
}

async function outcomeOf<Done>(
  reference: string,
  attempt: (reference: string) => Promise<Done>,
): Promise<Outcome<Done>> {
  try {
    return {reference, done: await attempt(reference)}
  } catch (error) {
    const failure = asFailure(error)
    return failure.kind === 'unexpected' ? {reference, failure, bug: error} : {reference, failure}
  }
}

/** Returns the outcome, or what `givenUp` returns if there is no outcome a moment after `stopped` was aborted. */
async function unlessStopped<T>(outcome: Promise<T>, stopped: AbortSignal | undefined, givenUp: () => T) {
  if (stopped === undefined) return outcome
  const waiting = new AbortController()
  const stop = new Promise<void>(resolve => {
    if (stopped.aborted) resolve()
    stopped.addEventListener('abort', () => resolve(), {once: true, signal: waiting.signal})
  })
  const late = stop.then(() => sleep(MOST_ENDING_MILLISECONDS)).then(givenUp)
  return Promise.race([outcome, late]).finally(() => waiting.abort())
}

export const NOT_TRIED = 'not_tried'

/** Returns the outcome of a reference that was not tried because of `end`, the failure of another one. */
export function notTriedAfter(
  reference: string,
  end: Outcome<unknown>,
): {reference: string; failure: Described} {
  const {kind = 'unexpected', message = ''} = end.failure ?? {}
  const hint = `once it works for ${end.reference}, run the command again with those that are left`
  const details = {code: NOT_TRIED, hint}
  return {reference, failure: {kind, message: `not tried, because of ${end.reference}: ${message}`, details}}
}

function interrupted(reference: string): Failure {
  const hint = `to do it, run the command again with ${reference}`
  return new Failure('interrupted', 'not done: the command was stopped', {code: NOT_TRIED, hint})
}

/** Statuses with which a service, or a gateway in front of it, refuses every request for now. */
const TAKES_NOTHING: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Error codes that have nothing to do with the reference: about the settings, or about the disk of this machine. */
const OF_ALL: ReadonlySet<string> = new Set([
  'path_not_shown',
  'cannot_write',
  'storage_full',
  'storage_not_writable',
])

/**
 * Returns a function that prints a warning about one reference. The text must begin with `Warning: `; the reference is
 * added after that.
 */
export function warningAbout(command: BaseCommand, reference: string): (text: string) => void {
  return text => void command.warn(text.replace(/^Warning: /, `Warning: ${reference}: `))
}

/** Reports whether every other reference would fail for the same reason. */
export function endsAll({failure}: Outcome<unknown>): boolean {
  if (failure === undefined || failure.details.code === NOT_TRIED) return false
  const {kind, details} = failure
  if (kind === 'not_allowed' || kind === 'unexpected' || OF_ALL.has(details.code)) return true
  // A failure with a host is about the link of one voucher, not about the service.
  if (kind === 'unreachable') return details.host === undefined
  return (kind === 'refused' || kind === 'service_failed') && TAKES_NOTHING.has(details.status ?? 0)
}

/**
 * Returns the exit code: 0 if all are done, 10 if an outcome is unknown, the code of the failure if all failed with the
 * same one, otherwise 3.
 */
export function exitCodeOf(outcomes: readonly Outcome<unknown>[]): number {
  const kinds = new Set(outcomes.map(({failure}) => failure?.kind ?? 'done'))
  if (kinds.has('outcome_unknown')) return EXITS.outcome_unknown.code
  const [kind = 'done', ...others] = kinds
  return others.length === 0 ? EXITS[kind].code : EXITS.not_as_agreed.code
}

type Row = Readonly<Record<string, unknown>>

/** Prints outcomes in the chosen format. Failures are written to stderr too, unless the document has them. */
class OutcomePrinter<Done> {
  private readonly held: Outcome<Done>[] = []
  private readonly notTried: string[] = []
  private readonly printsAtOnce: boolean
  private hasPrinted = false

  constructor(
    private readonly command: BaseCommand,
    private readonly flags: OutputFlags,
    private readonly form: Form<Done>,
  ) {
    const {json, query, quiet} = flags
    const format = formatOf(flags, process.stdout)
    this.printsAtOnce = !json && query === undefined && (quiet === true || format !== 'table')
  }

  async take(outcome: Outcome<Done>): Promise<void> {
    this.say(outcome)
    if (!this.printsAtOnce) this.held.push(outcome)
    else {
      await this.command.print(this.resultOf([outcome], true), this.hasPrinted)
      this.hasPrinted = true
    }
  }

  async end(): Promise<void> {
    const {notTried, command, held} = this
    if (notTried.length > 0) command.warn(`Not tried: ${notTried.join(' ')}`)
    if (this.printsAtOnce) return
    await command.print(
      this.resultOf(
        held,
        held.some(({failure}) => failure !== undefined),
      ),
    )
  }

  private say({reference, failure, bug}: Outcome<Done>): void {
    // A bug is thrown, and reported, by the caller.
    if (failure === undefined || bug !== undefined || this.flags.json) return
    if (failure.details.code === NOT_TRIED) this.notTried.push(reference)
    else {
      this.command.warn(`Error: ${reference}: ${failure.message}`)
      this.command.warn(`Hint: ${errorOf(failure).hint}`)
    }
  }

  private resultOf(outcomes: readonly Outcome<Done>[], withErrors: boolean): Result<Row> {
    const {key, entry, row, columns, shown, id} = this.form
    const entries = outcomes.map(({reference, done, failure}) => ({
      ...entry(reference, done, failure),
      error: failure ? errorOf(failure) : null,
    }))
    const items = outcomes.map(({reference, done, failure}) => ({
      reservation_ref: reference,
      ...(done === undefined ? {} : row(done)),
      [ERROR_COLUMN]: failure?.details.code ?? null,
    }))
    return {
      document: {[key]: entries},
      items,
      lines: entries,
      columns: [...columns, ERROR_COLUMN].map(name => ({
        name,
        value: (item: Row) => item[name],
      })) satisfies Column<Row>[],
      shown: withErrors ? [...shown, ERROR_COLUMN] : shown,
      id: item => (item[ERROR_COLUMN] === null ? item[id] : null),
    }
  }
}
