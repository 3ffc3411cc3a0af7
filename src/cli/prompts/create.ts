/** The questions as the terminal can show them: drawn, or as plain lines in the accessible mode. */
import process from 'node:process'
import {painterFor} from '../output/colour.js'
import {stderr} from '../output/streams.js'
import type {Prompts, TextQuestion} from './prompts.js'
import type {Terminal} from './terminal.js'

export interface PromptOptions extends Partial<Pick<Terminal, 'input' | 'output' | 'closing'>> {
  /** Plain lines without redraws. */
  readonly accessible: boolean
}

/**
 * Questions at a terminal: stdin and stderr unless told. `closing` withdraws whatever is asked. Nothing is loaded for
 * the form that is not used.
 */
export async function createPrompts(options: PromptOptions): Promise<Prompts> {
  const {input = process.stdin, output = stderr(), closing, accessible} = options
  const paint = painterFor(output, process.env)
  const terminal: Terminal = {input, output, paint, ...(closing ? {closing} : {})}
  if (!accessible) return createDrawnPrompts(terminal)
  const {createAccessiblePrompts} = await import('./accessible.js')
  return createAccessiblePrompts(terminal)
}

async function createDrawnPrompts(terminal: Terminal): Promise<Prompts> {
  const [{askDrawn}, {textPrompt}, {listPrompt}, {untilQuiet}, {isYes}, {usage}, {signalOf}] =
    await Promise.all([
      import('./drawn.js'),
      import('./drawn-text.js'),
      import('./drawn-list.js'),
      import('./quiet.js'),
      import('./words.js'),
      import('../../contract/failure.js'),
      import('./terminal.js'),
    ])
  const text = (question: TextQuestion) => askDrawn(textPrompt, question, terminal)
  const list = {searched: false, several: false, start: 0}
  return {
    text,
    async choose<T>({
      choices,
      default: usual,
      ...asked
    }: Parameters<Prompts['choose']>[0] & {default?: unknown}) {
      const start = Math.max(
        0,
        choices.findIndex(choice => Object.is(choice.value, usual)),
      )
      const [chosen] = await askDrawn(listPrompt, {...asked, ...list, start, find: () => choices}, terminal)
      return chosen as T
    },
    async chooseSeveral<T>({choices, ...asked}: Parameters<Prompts['chooseSeveral']>[0]) {
      const question = {...asked, ...list, several: true, find: () => choices}
      return [...(await askDrawn(listPrompt, question, terminal))] as T[]
    },
    async search<T>({startsUnchosen, ...asked}: Parameters<Prompts['search']>[0]) {
      const start = startsUnchosen ? -1 : 0
      const [chosen] = await askDrawn(listPrompt, {...asked, ...list, start, searched: true}, terminal)
      return chosen as T
    },
    async confirm({default: usual = false, message, ...asked}) {
      await untilQuiet(terminal.input, signalOf(terminal, asked))
      const check = (answer: string) => {
        if (answer !== '' && isYes(answer) === undefined) throw usage('not_yes_or_no', 'Type yes or no.')
      }
      const answer = await text({...asked, message: `${message} (${usual ? 'Y/n' : 'y/N'})`, check})
      return isYes(answer) ?? usual
    },
  }
}
