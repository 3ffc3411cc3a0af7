import * as Args from '@oclif/core/args'
import {existingProfile, overriddenWarning} from '../../cli/features/access/profiles.js'
import {dryRun, dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'

export default class ProfilesUse extends BaseCommand {
  static override summary = 'Set the current profile'
  static override description =
    'Commands use the current profile unless --profile or BOOKCTL_PROFILE names another.'
  static override examples = ['bookctl profiles use default', 'bookctl profiles use default --dry-run']
  static override environment = [
    'BOOKCTL_PROFILE',
    'BOOKCTL_BASE_URL',
    'BOOKCTL_CLIENT_ID',
    'BOOKCTL_CLIENT_SECRET',
    'BOOKCTL_TOKEN',
    'BOOKCTL_CONFIG_DIR',
  ]
  static override columns = ['profile', 'base_url', 'client_id']
  static override candidates = {name: 'profiles'} as const
  static override args = {name: Args.string({required: true, description: 'name of the profile'})}
  static override flags = dryRunFlag

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ProfilesUse)
    const {settings} = await this.state()
    const {path: file} = settings
    const {name} = args
    const {base_url, client_id} = existingProfile(settings.read(), name)
    const {current_profile: before = null} = settings.read()
    if (flags['dry-run'])
      return this.print(dryRun([], [{file, action: 'set', what: 'current_profile', before, after: name}]))
    await settings.update(editor => editor.set(['current_profile'], name))
    const used = {profile: name, base_url, client_id}
    await this.print(single(used, used, name))
    const overridden = overriddenWarning(process.env, name, 'this profile')
    if (overridden) this.warn(overridden)
  }
}
