import {CHANGE_COLUMNS, changeSetting, keyArg} from '../../cli/features/access/config.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ConfigUnset extends BaseCommand {
  static override summary = 'Remove a setting'
  static override description =
    `Removes it from where config set would write it, so that the next source applies. Removing a setting that is not there
is not an error.`
  static override examples = [
    'bookctl config unset contact.email',
    'bookctl config unset scopes --profile reader --dry-run',
  ]
  static override columns = CHANGE_COLUMNS
  static override candidates = {key: 'settings'} as const
  static override args = keyArg
  static override flags = dryRunFlag

  override readonly showsSettings = true

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ConfigUnset)
    const surroundings = await this.surroundings()
    await this.print(await changeSetting(args, surroundings, await this.state(), flags['dry-run']))
  }
}
