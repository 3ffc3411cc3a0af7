import * as Flags from '@oclif/core/flags'
import {logOut, logOutEverywhere, whoLeaves} from '../cli/access.js'
import {BaseCommand} from '../cli/base-command.js'
import {systemClock} from '../cli/connect.js'
import {single} from '../cli/result.js'

export default class Logout extends BaseCommand {
  static override summary = 'Revoke the tokens of a profile, and forget them and its secret.'
  static override description =
    `Removes everything from this machine also when the service cannot be reached; then it says so, and does not exit with 0.
Environment: BOOKCTL_PROFILE, BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID.`
  static override examples = ['bookctl logout', 'bookctl logout --all --json']
  static override columns = ['profile', 'revoked', 'removed']
  static override flags = {
    all: Flags.boolean({summary: 'every profile, and every token kept for credentials of the environment'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(Logout)
    const state = await this.state()
    const parts = {...(await this.openSender()), clock: systemClock}
    const gone = flags.all
      ? await logOutEverywhere(parts, state)
      : await logOut(parts, state, whoLeaves(this.globals, process.env, state, this.namesProfile()))
    await this.print(single(gone, {...gone}, gone.profile))
    this.note(gone.removed ? 'Logged out.' : 'There was nothing to log out of.')
  }
}
