import {BaseCommand} from '../../cli/shell/base-command.js'
import {listResult} from '../../cli/terminal/result.js'

const COLUMNS = ['name', 'current', 'base_url', 'client_id'] as const

export default class ProfilesList extends BaseCommand {
  static override summary = 'List the profiles'
  static override description = 'A profile is a named base URL with the credentials of a client.'
  static override examples = ['bookctl profiles list', 'bookctl profiles list --json']
  static override environment = ['BOOKCTL_CONFIG_DIR']
  static override columns = COLUMNS

  async run(): Promise<void> {
    await this.parse(ProfilesList)
    const {profiles, current_profile} = (await this.state()).settings.read()
    const items = Object.entries(profiles).map(([name, {base_url, client_id, scopes}]) => {
      const current = name === current_profile
      return {name, current, base_url, client_id, ...(scopes ? {scopes} : {})}
    })
    const whenEmpty = 'No profiles. Create one: bookctl login'
    await this.print({...listResult({profiles: items}, items, COLUMNS), whenEmpty})
  }
}
