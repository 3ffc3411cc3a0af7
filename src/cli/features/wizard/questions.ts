/** Questions that several parts of the wizard ask: checked values, countries, names. */
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {findCountries, type NamedCountry, namedCountries} from '../../input/countries.js'
import {faultsOfWords, LATIN_ADVICE, needsLatin, oddIn} from '../../input/guests.js'
import type {Choice, Prompts, TextQuestion} from '../../terminal/prompts/prompts.js'

/**
 * Asks for a value, which `read` checks and converts. The errors of `read` must not name a field. `show` returns the
 * meaning of an answer, which is shown next to it.
 */
export async function askRead<T>(
  prompts: Prompts,
  question: Pick<TextQuestion, 'message' | 'default' | 'empty'>,
  read: (field: string, typed: string) => T,
  show?: (value: T) => string | undefined,
): Promise<T> {
  const hint = (typed: string) => (typed.trim() === '' ? undefined : show?.(read('', typed)))
  const check = (typed: string) => void read('', typed)
  return read('', await prompts.text({...question, check, hint}))
}

/** Runs `work`, and repeats it while the service is unavailable and the user wants to try again. */
export async function untilServed<T>(
  {prompts, tell}: {readonly prompts: Prompts; readonly tell: (text: string) => void},
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const {status = 0} = error.details
      if (error.kind !== 'unreachable' && status < 500 && status !== 429) throw error
      tell(`\n${sanitizeLine(error.message, 400)}. Your answers are kept.`)
      if (!(await prompts.confirm({message: 'Try again?', default: true}))) throw error
    }
  }
}

/** Asks for a country by name or code. The countries of `first` are listed first. */
export async function askCountry(
  prompts: Prompts,
  message: string,
  first: readonly (string | null | undefined)[],
): Promise<string> {
  const likely = first.filter(Boolean)
  const place = ({code}: NamedCountry) => likely.indexOf(code) + 1 || likely.length + 1
  const all = (await namedCountries()).sort((a, b) => place(a) - place(b))
  const find = (typed: string): Choice<string>[] =>
    findCountries(all, typed).map(({code, name, names}) => ({value: code, name: `${name} (${code})`, names}))
  return prompts.search({message, find, startsUnchosen: likely.length === 0})
}

/**
 * Asks for a name in any script. A name with digits or symbols must be confirmed, because they would be booked as part
 * of the name.
 */
export async function askName(prompts: Prompts, message: string, suggested?: string): Promise<string> {
  const hint = (typed: string) => (needsLatin(typed) ? LATIN_ADVICE : undefined)
  for (;;) {
    const name = await askWords(prompts, message, suggested, hint)
    const odd = oddIn(name)
    const doubt = `${sanitizeLine(name, 40)} contains ${odd}. Keep it as a name?`
    if (!odd || (await prompts.confirm({message: doubt, about: message}))) return name
  }
}

export function askWords(
  prompts: Prompts,
  message: string,
  suggested?: string,
  hint?: TextQuestion['hint'],
): Promise<string> {
  return prompts.text({
    message,
    default: suggested,
    ...(hint && {hint}),
    check: typed => {
      if (typed.trim() === '') throw usage('invalid_input', 'must not be empty')
      const [fault] = faultsOfWords(typed, '')
      if (fault) throw fault
    },
  })
}
