import process from 'node:process'
import * as Args from '@oclif/core/args'
import {BaseCommand} from '../cli/shell/base-command.js'
import {completionLines, wordsOf} from '../cli/shell/completion.js'
import {wholeConfig} from '../cli/shell/program.js'

/**
 * A completion script asks which words may stand at the cursor; not for people. Bash hands over the line up to there,
 * other shells the words, the last one after a colon: PowerShell drops an empty argument.
 */
export default class Complete extends BaseCommand {
  static override hidden = true
  static override strict = false
  static override args = {shell: Args.string({}), word: Args.string({})}

  async run(): Promise<void> {
    this.parsed = true
    const [shell, ...given] = this.argv.slice(1)
    if (given.length === 0) return
    const typed =
      shell === 'bash' ? wordsOf(given[0] ?? '').slice(1) : given.with(-1, (given.at(-1) ?? '').slice(1))
    process.stdout.write(completionLines(await wholeConfig(this.config), typed))
  }
}
