/** Asks the user questions, on stderr and only at a terminal. Piped input never answers a question. */
import process from 'node:process'
import {Failure, usage} from '../../../contract/failure.js'
import {missing, SEE_HELP} from '../../input/usage-errors.js'
import {wantsAccessible} from '../colour.js'
import {stderr, stderrIsTerminal, stdinIsTerminal} from '../streams.js'
import {clearTransient} from '../talk.js'
import {anyOf, type Prompts, type Terminal, type TextQuestion} from './prompts.js'

export interface AskingFlags {
  readonly json?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

/** Reports whether questions are allowed: at a terminal, and not with --json, --no-input, CI or BOOKCTL_NO_INPUT. */
export function mayAsk(flags: AskingFlags): boolean {
  const {env} = process
  const forbidden = flags.json || flags['no-input'] || env.CI || env.BOOKCTL_NO_INPUT
  return !forbidden && stdinIsTerminal() && stderrIsTerminal()
}

/**
 * A question, and the error if it cannot be asked: `flag` is the flag that gives the answer instead, and `ways` is a
 * hint that names all ways.
 */
export type Question = TextQuestion & {readonly flag: string; readonly ways?: string}

/**
 * Asks `questions` in order and returns the answers. If asking is not allowed, throws a usage error that names every
 * flag.
 */
export async function ask(questions: readonly Question[], flags: AskingFlags, open: () => Promise<Prompts>) {
  if (questions.length === 0) return []
  const names = questions.map(({flag}) => flag)
  if (!mayAsk(flags)) throw missing(names, questions.find(({ways}) => ways)?.ways)
  const {withWayBack} = await import('./way-back.js')
  return withWayBack(await open(), async prompts => {
    const answers: string[] = []
    for (const question of questions) answers.push(await prompts.text(question))
    return answers
  })
}

/** Creates prompts that are drawn, or plain lines in accessible mode. Only the code of one kind is loaded. */
export async function createPrompts(terminal: Terminal): Promise<Prompts> {
  const accessible = wantsAccessible(process.env)
  const drawn = accessible ? undefined : (await import('./drawn.js')).createDrawnPrompts(terminal)
  const prompts = drawn ?? (await import('./accessible.js')).createAccessiblePrompts(terminal)
  return {
    ...prompts,
    async confirm({default: usual = false, message, ...asked}) {
      const {untilQuiet} = await import('./keys.js')
      const withdrawn = anyOf(terminal.closing, asked.signal)
      await untilQuiet(terminal.input, withdrawn, asked.goesBack ?? false, () => drawn?.takeAnswerBack())
      const check = (answer: string) => {
        if (!/^(y|yes|n|no|)$/i.test(answer)) throw usage('not_yes_or_no', 'type yes or no')
      }
      const choices = choicesText(usual, accessible)
      const answer = await prompts.text({...asked, message: `${message} (${choices})`, check})
      return answer === '' ? usual : /^y/i.test(answer)
    },
  }
}

/** Returns what may be answered to a question for yes or no. `usual` is the answer of Enter alone. */
function choicesText(usual: boolean, accessible: boolean): string {
  if (accessible) return `yes or no, default ${usual ? 'yes' : 'no'}`
  return usual ? 'Y/n' : 'y/N'
}

/**
 * Opens the prompts. Aborting `closing` withdraws an open question. Throws a usage error if questions are not allowed.
 */
export async function openPrompts(flags: AskingFlags, closing: AbortSignal): Promise<Prompts> {
  if (!mayAsk(flags)) throw usage('nobody_to_ask', 'not a terminal; pass the missing flags', SEE_HELP)
  clearTransient()
  return createPrompts({input: process.stdin, output: stderr(), closing})
}

export interface Change {
  /** What is certain if the user does not consent: `nothing was sent`. */
  readonly undone: string
  /** What needs consent: `a live reservation`. */
  readonly what: string
  /** How to consent in advance (default: `add --yes`). */
  readonly hint?: string
  /** Added to the JSON document of the error, for example what the change would have cost. */
  readonly result?: object
}

/**
 * Throws a usage error unless `agreed` is true: `not_confirmed` for false, and `confirmation_needed` for undefined,
 * which means that the question could not be asked.
 */
export function requireConsent(agreed: boolean | undefined, change: Change): void {
  if (agreed) return
  const {undone, what, hint = 'add --yes', result} = change
  const again = `to do it, run the command again and answer y, or ${hint}`
  if (agreed === false) throw usage('not_confirmed', `not confirmed; ${undone}`, again)
  const details = {code: 'confirmation_needed', hint, ...(result && {result})}
  throw new Failure('usage', `${what} needs confirmation; ${undone}`, details)
}
