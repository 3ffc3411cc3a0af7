/** What the wizard's questions share: words without flag names, dates, countries, what to do when time runs out. */
import {Failure} from '../../../contract/failure.js'
import type {Choice, Prompts} from '../../terminal/prompts/prompts.js'
import {findCountries, namedCountries} from './country-names.js'

/** What every question carries while an offer is being booked. */
export interface Clocked {
  /** The line kept in sight: the time left on the offer. */
  readonly status: () => string
  /** Aborted when the offer expires; its reason is thrown. */
  readonly signal: AbortSignal
}

/** The same questions, each with the time left in sight, withdrawn when it is over. */
export function clocked(prompts: Prompts, clock: Clocked | undefined): Prompts {
  if (!clock) return prompts
  return {
    text: question => prompts.text({...clock, ...question}),
    choose: question => prompts.choose({...clock, ...question}),
    chooseSeveral: question => prompts.chooseSeveral({...clock, ...question}),
    search: question => prompts.search({...clock, ...question}),
    confirm: question => prompts.confirm({...clock, ...question}),
  }
}

/** Makes a check of flags one of answers: the same rule, its words without the flag's name. */
export function plainly<T>(check: (answer: string) => T): (answer: string) => void {
  return answer => {
    try {
      check(answer)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.kind, withoutName(error.message), error.details)
    }
  }
}

/** A refusal's words without the name of the flag or field they begin with. */
export function withoutName(message: string): string {
  return message.replace(/^(--)?[\w[\].-]+: /, '')
}

/** `show(read(typed))`, or nothing where it cannot be read. */
export function hintOf<T>(read: (typed: string) => T, show: (value: T) => string | undefined) {
  return (typed: string): string | undefined => {
    if (typed.trim() === '') return undefined
    try {
      return show(read(typed))
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
}

/** Asks for a country by name or code, the one of `first` on top. */
export async function askCountry(
  prompts: Prompts,
  message: string,
  first: string | undefined,
): Promise<string> {
  const all = (await namedCountries()).sort((a, b) => Number(b.code === first) - Number(a.code === first))
  const find = (typed: string): Choice<string>[] =>
    findCountries(all, typed).map(({code, name, names}) => ({value: code, name: `${name} (${code})`, names}))
  return prompts.search({message, find, startsUnchosen: first === undefined})
}
