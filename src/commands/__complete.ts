import process from 'node:process'
import * as Args from '@oclif/core/args'
import {BaseCommand} from '../cli/shell/base-command.js'
import {candidateLines} from '../cli/shell/completion/answer.js'

/** A completion script asks what this machine knows; not for people. */
export default class Complete extends BaseCommand {
  static override hidden = true
  static override strict = false
  static override args = {kind: Args.string({}), word: Args.string({})}

  async run(): Promise<void> {
    this.parsed = true
    const [kind, word] = this.argv.slice(1)
    process.stdout.write(candidateLines(this.config.configDir, kind, word))
  }
}
