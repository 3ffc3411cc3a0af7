import * as Flags from '@oclif/core/flags'
import {BaseCommand} from '../../cli/base-command.js'
import {CONFIG_COLUMNS, listSettings} from '../../cli/settings/config.js'

export default class ConfigList extends BaseCommand {
  static override summary = 'List the settings, as they hold now, and where each comes from.'
  static override description =
    `Origins are flag, environment, profile, defaults (of all profiles), file and built_in. Of variables that hold a secret it
says only that they are set. Environment: BOOKCTL_CONFIG_DIR, BOOKCTL_PROFILE, and those of the settings.`
  static override examples = ['bookctl config list', 'bookctl config list --all --json']
  static override columns = CONFIG_COLUMNS
  static override flags = {all: Flags.boolean({summary: 'those that nothing gives, too'})}

  async run(): Promise<void> {
    const {flags} = await this.parse(ConfigList)
    const {path} = (await this.state()).settings
    await this.print(listSettings(await this.surroundings(), path, flags.all))
  }
}
