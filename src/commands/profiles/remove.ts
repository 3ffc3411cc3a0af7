import * as Args from '@oclif/core/args'
import {
  consentFor,
  describeLogout,
  leavingFlags,
  leavingProfile,
  liveAmong,
  removeProfile,
} from '../../cli/features/access/logout.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'
import {systemClock} from '../../contract/dates.js'

export default class ProfilesRemove extends BaseCommand {
  static override summary = 'Log out of a profile and remove it'
  static override description =
    `Revokes its tokens, removes its secrets, signing secrets too, and then its entry. Live credentials and signing secrets,
which the service never shows again, need confirmation.`
  static override examples = ['bookctl profiles remove reader', 'bookctl profiles remove reader --dry-run']
  static override columns = ['profile', 'revoked', 'removed', 'kept']
  static override candidates = {name: 'profiles'} as const
  static override args = {name: Args.string({required: true, description: 'name of the profile'})}
  static override flags = leavingFlags

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ProfilesRemove)
    const state = await this.state()
    const leaving = leavingProfile(state, args.name)
    const [live] = await liveAmong(state, leaving, process.env)
    if (live) this.warn(`LIVE: credentials ${live}`)
    if (flags['dry-run']) {
      const before = {base_url: leaving.baseUrls[0], client_id: leaving.clientId}
      const {path: file} = state.settings
      const entry = {file, action: 'remove', what: `profiles.${args.name}`, before} as const
      const entries = leaving.clientId === undefined ? [] : [entry]
      return this.print(await describeLogout(state, leaving, systemClock.now(), entries))
    }
    const asked = consentFor(leaving, live ? [live] : [])
    if (asked) await this.consent(flags.yes, `Remove the profile ${args.name}?`, asked.change, asked.atStake)
    const gone = await removeProfile(await this.openSender(), state, leaving)
    await this.print(single(gone, gone, gone.profile))
  }
}
