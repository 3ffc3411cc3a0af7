import * as Args from '@oclif/core/args'
import {CHANGE_COLUMNS, changeSetting, keyArg} from '../../cli/features/access/config.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ConfigSet extends BaseCommand {
  static override summary = 'Change a setting'
  static override description =
    `Settings of a service (base_url, client_id, scopes, paths.…) are written to the profile in use; all others to the
defaults of all profiles, or with --profile to that profile. The value is checked first. Secrets are not settings: see
bookctl login.`
  static override examples = [
    'bookctl config set currency EUR',
    'bookctl config set contact.email ayse@example.com --dry-run',
    'bookctl config set paths.reservations.list /bookings --profile reader --dry-run',
  ]
  static override columns = CHANGE_COLUMNS
  static override candidates = {key: 'settings'} as const
  static override args = {...keyArg, value: Args.string({required: true, description: 'the new value'})}
  static override flags = dryRunFlag

  override readonly showsSettings = true

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ConfigSet)
    const surroundings = await this.surroundings()
    await this.print(await changeSetting(args, surroundings, await this.state(), flags['dry-run']))
  }
}
