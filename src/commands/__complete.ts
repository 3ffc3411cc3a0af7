import process from 'node:process'
import * as Args from '@oclif/core/args'
import {BaseCommand} from '../cli/shell/base-command.js'
import {answer} from '../cli/shell/completion.js'
import {wholeConfig} from '../cli/shell/program.js'

/** Prints candidates for the word at the cursor. Completion scripts run this command; it is not for people. */
export default class Complete extends BaseCommand {
  static override hidden = true
  static override strict = false
  static override args = {shell: Args.string({}), word: Args.string({})}

  async run(): Promise<void> {
    this.parsed = true
    const [shell = '', ...given] = this.argv.slice(1)
    process.stdout.write(await answer(await wholeConfig(this.config), shell, given))
  }
}
