/** Questions in the form that fits the terminal: drawn by inquirer, or plain lines in the accessible mode. */
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {stderr} from '../streams.js'
import {untilQuiet} from './keys.js'
import {anyOf, isYes, type Prompts, type Terminal} from './prompts.js'

/** Questions on stderr, answered on stdin. Only the form in use is loaded. */
export async function createPrompts(
  {accessible, closing}: {readonly accessible: boolean; readonly closing?: AbortSignal},
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
