import * as Flags from '@oclif/core/flags'
import {CONFIG_COLUMNS, listSettings} from '../../cli/features/access/config.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ConfigList extends BaseCommand {
  static override summary = 'List the settings, their effective values and origins'
  static override description =
    `Origins are flag, environment, profile, defaults (of all profiles), file, built_in and unset. An invalid value is
shown with a warning. For a variable with a secret only "set" is shown.`
  static override examples = [
    'bookctl config list',
    `bookctl config list --query "settings[?origin!='unset'].key"`,
  ]
  static override columns = CONFIG_COLUMNS
  /** --all has no effect; it is accepted because older scripts pass it. */
  static override flags = {all: Flags.boolean({hidden: true})}

  override readonly showsSettings = true

  async run(): Promise<void> {
    await this.parse(ConfigList)
    const {path} = (await this.state()).settings
    await this.print(await listSettings(await this.surroundings(), path))
  }
}
