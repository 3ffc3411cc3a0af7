/** What `autocomplete` prints: the script of a shell, or how to put it in place. */
import type * as Interfaces from '@oclif/core/interfaces'
import {type Result, single} from '../../terminal/result.js'
import {wholeConfig} from '../program.js'
import {COMPLETION_SHELLS, installText, shellOf} from './scripts.js'

export const SHELL_NAMES = Object.keys(COMPLETION_SHELLS)

/** The script for `shell`; without one, how to put that of the shell at `shellPath` in place, or of each. */
export async function completionResult(
  config: Interfaces.Config,
  shell: string | undefined,
  shellPath: string | undefined,
): Promise<Result> {
  const known = shell ?? shellOf(shellPath) ?? null
  const {completionModel} = await import('./model.js')
  const wanted = shell === undefined ? undefined : COMPLETION_SHELLS[shell]
  const script = (await wanted?.script(completionModel(await wholeConfig(config)))) ?? null
  const install = installText(known ?? undefined)
  const document = {shell: known, script, install}
  return {...single(document, document, known), text: script ?? install}
}
