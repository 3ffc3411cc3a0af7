/** Shared by the questions: refusals without flag names, answers with their meaning. */
import {Failure} from '../../../contract/failure.js'
import type {Contact} from '../../../contract/reservations.js'
import {findCountries, namedCountries} from '../../input/countries.js'
import type {Choice, Prompts, TextQuestion} from '../../terminal/prompts/prompts.js'

/** Turns a check of flags into one of answers: the same rule, without the flag's name in the message. */
function plainly<T>(check: (answer: string) => T): (answer: string) => void {
  return answer => {
    try {
      check(answer)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.kind, error.message.replace(/^(--)?[\w[\].-]+: /, ''), error.details)
    }
  }
}

/** The answer as `read` takes it; `show`: its meaning, shown beside it. */
export async function askRead<T>(
  prompts: Prompts,
  question: Pick<TextQuestion, 'message' | 'default' | 'empty'>,
  read: (typed: string) => T,
  show?: (value: T) => string | undefined,
): Promise<T> {
  const hint = (typed: string) => {
    try {
      return typed.trim() === '' ? undefined : show?.(read(typed))
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
  return read(await prompts.text({...question, check: plainly(read), hint}))
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

export function contactText({name, surname, email, phone_country_code, phone_number}: Contact): string {
  return `${name} ${surname}, ${email}, ${phone_country_code} ${phone_number}`
}
