import process from 'node:process'
import * as Args from '@oclif/core/args'
import {BaseCommand} from '../cli/shell/base-command.js'
import {completionResult, SHELL_NAMES} from '../cli/shell/completion-scripts.js'

export default class Autocomplete extends BaseCommand {
  static override summary = 'Print the completion script for a shell'
  static override description =
    `The script completes commands, flags and their values, and on TAB what this machine knows: profiles, cities, offers,
references, subscriptions, events. Loading it starts no other program. It is only printed: none of your files is
changed. Without SHELL, prints how to install the script.`
  static override environment = ['SHELL']
  static override examples = [
    'bookctl autocomplete',
    'source <(bookctl autocomplete bash)',
    'bookctl autocomplete zsh > _bookctl',
    'bookctl autocomplete fish > bookctl.fish',
  ]
  static override columns = ['shell', 'script', 'install']
  static override args = {
    shell: Args.string({options: SHELL_NAMES, description: 'shell to print the script for'}),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(Autocomplete)
    await this.print(completionResult(args.shell, process.env.SHELL))
  }
}
