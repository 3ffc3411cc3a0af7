import {
  applyChange,
  CHANGE_COLUMNS,
  changeResult,
  keyArg,
  planSetting,
} from '../../cli/features/access/config.js'
import {dryRun, dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ConfigUnset extends BaseCommand {
  static override summary = 'Remove a setting'
  static override description =
    `Removes it from where config set would write it, so that the next source applies. Removing a setting that is not there
is not an error.
Environment: BOOKCTL_CONFIG_DIR, BOOKCTL_PROFILE.`
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
    const {settings} = await this.state()
    const {change, described} = await planSetting(
      args.key,
      undefined,
      await this.surroundings(),
      settings.path,
    )
    if (flags['dry-run']) return this.print(dryRun([], described))
    await settings.update(file => applyChange(file, change))
    await this.print(changeResult(change, settings.path))
  }
}
