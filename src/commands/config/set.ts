import * as Args from '@oclif/core/args'
import {
  applyChange,
  CHANGE_COLUMNS,
  changeResult,
  keyArg,
  planSetting,
} from '../../cli/features/access/config.js'
import {dryRun, dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ConfigSet extends BaseCommand {
  static override summary = 'Change a setting'
  static override description =
    `Settings of a service (base_url, client_id, scopes, paths.…) are written to the profile in use; all others to the
defaults of all profiles, or with --profile to that profile. The value is checked first. Secrets are not settings: see
bookctl login.
Environment: BOOKCTL_CONFIG_DIR, BOOKCTL_PROFILE.`
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
    const {settings} = await this.state()
    const planned = await planSetting(args.key, args.value, await this.surroundings(), settings.path)
    if (flags['dry-run']) return this.print(dryRun([], planned.described))
    await settings.update(file => applyChange(file, planned.change))
    await this.print(changeResult(planned.change, settings.path))
    if (planned.taken) this.warn(planned.taken)
    if (planned.overriddenBy) this.warn(`Warning: ${planned.overriddenBy} overrides this setting`)
  }
}
