/** Collects the mistakes in a trip file, each with its place. */
import {Failure, usage} from '../../../contract/failure.js'
import {isAboutName} from '../../input/match.js'
import {combined} from '../../input/usage-errors.js'

export type TripFormat = 'csv' | 'ndjson' | 'json'

export interface Place {
  /** The line, from 1. In a JSON array, the position of the trip. */
  readonly line: number
  /** The header of the column (CSV) or the path of the field (JSON). Undefined for the whole line. */
  readonly column?: string | undefined
}

/** Maximum number of mistakes that are printed for a file. */
const MOST_SHOWN = 100

/** Returns the name of a line or, in a JSON array, of a trip: `line 7`, `trip 7`. */
export function lineText(format: TripFormat, line: number): string {
  return `${format === 'json' ? 'trip' : 'line'} ${line}`
}

/** Returns the error for a mistake. Its message begins with the place: `line 7, column city: …`. */
function mistakeAt(format: TripFormat, {line, column}: Place, problem: string, hint?: string): Failure {
  const where = lineText(format, line)
  const field = format === 'csv' ? `column ${column}` : column
  return usage('invalid_input', `${column === undefined ? where : `${where}, ${field}`}: ${problem}`, hint)
}

/** The results of `readTyped` and `checkedBy`. */
interface Found {
  readonly lacking: readonly string[]
  readonly errors: readonly Failure[]
}

interface Mistake {
  readonly place: Place
  readonly failure: Failure
}

/** Collects the mistakes in a file. It keeps only about as many as are printed. */
export class Mistakes {
  #first: Mistake[] = []
  #count = 0
  #unlessBooked: {readonly place: Place; readonly problem: string}[] = []
  /** Whether some values were not checked, because there were too many mistakes already. */
  isPartial = false

  constructor(readonly format: TripFormat) {}

  get count(): number {
    return this.#count
  }

  /** Whether there are more mistakes than are printed. */
  get areMany(): boolean {
    return this.#count > MOST_SHOWN
  }

  add(place: Place, problem: string, hint?: string): void {
    this.#count++
    this.#first.push({place, failure: mistakeAt(this.format, place, problem, hint)})
    // There may be 100,000 mistakes, so only the first ones are kept.
    if (this.#first.length >= 20 * MOST_SHOWN) this.#first = this.#shown()
  }

  /**
   * Adds a mistake in a trip that may be booked already. It counts only if there are other mistakes too, which end the
   * reading.
   */
  addUnlessBooked(place: Place, problem: string): void {
    this.#unlessBooked.push({place, problem})
  }

  /**
   * Adds the error that the check of a single value threw; its message names no field. Rethrows anything but a Failure.
   */
  addThrown(place: Place, thrown: unknown): void {
    if (!(thrown instanceof Failure)) throw thrown
    this.add(place, thrown.message, thrown.details.hint)
  }

  /** Adds what a check of several fields found: missing paths, and errors that begin with a path. */
  addFound({lacking, errors}: Found, placeOf: (path: string) => Place): void {
    for (const path of lacking) this.add(placeOf(path), 'is missing')
    for (const {message, details} of errors) {
      const [, path = '', problem = message] = /^(\S*?): (.*)$/s.exec(message) ?? []
      this.add(placeOf(path), problem, details.hint)
    }
  }

  #shown(): Mistake[] {
    return this.#first.sort((a, b) => a.place.line - b.place.line).slice(0, MOST_SHOWN)
  }

  /**
   * Returns one error for all mistakes: the first hundred in words, and the number of the others. There must be at
   * least one.
   */
  toFailure(): Failure {
    for (const {place, problem} of this.#unlessBooked.splice(0)) this.add(place, problem)
    const shown = this.#shown()
    const {kind, details} = combined(shown.map(({failure}) => failure))
    const hint =
      shown.length > 1 ? 'nothing was sent; correct the file and run the command again' : details.hint
    const lines = shown.map(({failure: {message, details: own}}) =>
      shown.length > 1 && isAboutName(own.hint) ? `${message} (${own.hint})` : message,
    )
    const others = this.#count - shown.length
    if (others > 0) lines.push(`and ${this.isPartial ? 'at least ' : ''}${others} more`)
    const mistakes = shown.map(({place, failure}) => ({
      line: place.line,
      column: place.column ?? null,
      message: failure.message,
    }))
    const result = {mistakes, mistake_count: this.#count}
    return new Failure(kind, lines.join('; '), {...details, hint, lines, result, keepsResult: true})
  }
}
