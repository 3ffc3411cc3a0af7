import * as Args from '@oclif/core/args'
import {overriddenWarning} from '../../cli/features/access/access.js'
import {useProfile} from '../../cli/features/access/profiles.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

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
    await this.print(await useProfile(await this.state(), args.name, flags['dry-run']))
    if (flags['dry-run']) return
    const overridden = overriddenWarning(process.env, args.name, 'this profile')
    if (overridden) this.warn(overridden)
  }
}
