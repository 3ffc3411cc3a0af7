import {listProfiles, PROFILE_COLUMNS} from '../../cli/features/access/profiles.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ProfilesList extends BaseCommand {
  static override summary = 'List the profiles'
  static override description = 'A profile is a named base URL with the credentials of a client.'
  static override examples = ['bookctl profiles list', 'bookctl profiles list --json']
  static override environment = ['BOOKCTL_CONFIG_DIR']
  static override columns = PROFILE_COLUMNS

  async run(): Promise<void> {
    await this.parse(ProfilesList)
    await this.print(listProfiles(await this.state()))
  }
}
