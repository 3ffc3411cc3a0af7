import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../cli/base-command.js'
import {useProfile} from '../../cli/profiles.js'
import {single} from '../../cli/result.js'

export default class ProfilesUse extends BaseCommand {
  static override summary = 'Make a profile the current one.'
  static override description =
    'Commands use the current profile unless --profile or BOOKCTL_PROFILE names another. Environment: BOOKCTL_CONFIG_DIR.'
  static override examples = ['bookctl profiles use default', 'bookctl profiles use default --json']
  static override columns = ['profile', 'base_url', 'client_id']
  static override args = {
    name: Args.string({required: true, ignoreStdin: true, description: 'name of the profile'}),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(ProfilesUse)
    const used = await useProfile(await this.state(), args.name)
    await this.print(single(used, {...used}, used.profile))
  }
}
