import * as Args from '@oclif/core/args'
import {overriddenWarning} from '../../cli/features/access/access.js'
import {existingProfile} from '../../cli/features/access/config.js'
import {describeProfileUse} from '../../cli/features/access/dry-run.js'
import {useProfile} from '../../cli/features/access/profiles.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'

export default class ProfilesUse extends BaseCommand {
  static override summary = 'Set the current profile'
  static override description =
    'Commands use the current profile unless --profile or BOOKCTL_PROFILE names another. Environment: BOOKCTL_CONFIG_DIR.'
  static override examples = ['bookctl profiles use default', 'bookctl profiles use default --dry-run']
  static override columns = ['profile', 'base_url', 'client_id']
  static override candidates = {name: 'profiles'} as const
  static override args = {name: Args.string({required: true, description: 'name of the profile'})}
  static override flags = dryRunFlag

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ProfilesUse)
    const state = await this.state()
    existingProfile(state.settings.read(), args.name)
    if (flags['dry-run']) return this.print(describeProfileUse(state, args.name))
    const used = await useProfile(state, args.name)
    await this.print(single(used, used, used.profile))
    const overridden = overriddenWarning(process.env, args.name, 'this profile')
    if (overridden) this.warn(overridden)
  }
}
