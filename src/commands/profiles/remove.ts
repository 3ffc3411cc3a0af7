import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../cli/base-command.js'
import {systemClock} from '../../cli/connect.js'
import {removeProfile} from '../../cli/profiles.js'
import {single} from '../../cli/result.js'

export default class ProfilesRemove extends BaseCommand {
  static override summary = 'Log out of a profile and forget it.'
  static override description =
    `Revokes its tokens, removes its secret and then its entry. Environment: BOOKCTL_CONFIG_DIR.`
  static override examples = ['bookctl profiles remove reader', 'bookctl profiles remove reader --json']
  static override columns = ['profile', 'revoked', 'removed']
  static override args = {
    name: Args.string({required: true, ignoreStdin: true, description: 'name of the profile'}),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(ProfilesRemove)
    const parts = {...(await this.openSender()), clock: systemClock}
    const gone = await removeProfile(parts, await this.state(), args.name)
    await this.print(single(gone, {...gone}, gone.profile))
  }
}
