import {loadHelpClass} from '@oclif/core/help'
import {BaseCommand} from '../cli/shell/base-command.js'

/** `bookctl help`, which does the same as oclif's flag `--help`. */
export default class HelpCommand extends BaseCommand {
  static override hidden = true
  static override strict = false
  static override summary = 'Explain a command, a group or a topic'
  static override examples = ['bookctl help reserve', 'bookctl help exit-codes']

  async run(): Promise<void> {
    this.parsed = true
    const Help = await loadHelpClass(this.config)
    await new Help(this.config).showHelp(['--help', ...this.argv])
  }
}
