/** The questions as the terminal can show them: asked by inquirer, or as plain lines in the accessible mode. */
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {stderr} from '../streams.js'
import {untilQuiet} from './keys.js'
import {anyOf, isYes, type Prompts, type Terminal} from './prompts.js'

export interface PromptOptions {
  /** Plain lines without redraws. */
  readonly accessible: boolean
  /** Withdraws whatever is asked when aborted. */
  readonly closing?: AbortSignal
}

/** Questions on stderr, answered on stdin. Only the form in use is loaded. */
export async function createPrompts(
  {accessible, closing}: PromptOptions,
  {input, output}: Pick<Terminal, 'input' | 'output'> = {input: process.stdin, output: stderr()},
): Promise<Prompts> {
  const terminal: Terminal = {input, output, closing}
  const prompts = accessible
    ? (await import('./accessible.js')).createAccessiblePrompts(terminal)
    : (await import('./drawn.js')).createDrawnPrompts(terminal)
  return {
    ...prompts,
    async confirm({default: usual = false, message, ...asked}) {
      await untilQuiet(input, anyOf(closing, asked.signal))
      const check = (answer: string) => {
        if (answer !== '' && isYes(answer) === undefined) throw usage('not_yes_or_no', 'Type yes or no.')
      }
      const choice = accessible ? `yes or no, default ${usual ? 'yes' : 'no'}` : usual ? 'Y/n' : 'y/N'
      const answer = await prompts.text({...asked, message: `${message} (${choice})`, check})
      return isYes(answer) ?? usual
    },
  }
}
