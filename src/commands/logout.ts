import * as Flags from '@oclif/core/flags'
import {
  consentFor,
  describeLogout,
  everything,
  keptText,
  leavingFlags,
  liveAmong,
  logOut,
  logoutTargetFrom,
  outcomeText,
  remainingAfter,
  remainingText,
} from '../cli/features/access/logout.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {single} from '../cli/terminal/result.js'
import {systemClock} from '../contract/dates.js'

export default class Logout extends BaseCommand {
  static override summary = 'Revoke the tokens of a profile and remove its credentials'
  static override description =
    `Removes the credentials from this machine even if the service cannot be reached; then says so and exits non-zero.
Signing secrets stay, because the service never shows them again; --all removes them too, after a question that names
them. With credentials in the environment it revokes their tokens, and prints how to log out of the stored profile,
which --profile selects. Live credentials need confirmation.`
  static override examples = [
    'bookctl logout',
    'bookctl logout --profile reader --dry-run',
    'bookctl logout --all --json',
  ]
  static override columns = ['profile', 'revoked', 'removed', 'kept']
  static override flags = {
    all: Flags.boolean({summary: 'all profiles, and all tokens stored for credentials of the environment'}),
    ...leavingFlags,
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(Logout)
    const state = await this.state()
    const leaving = flags.all ? everything(state) : await logoutTargetFrom(await this.surroundings(), state)
    const live = await liveAmong(state, leaving, process.env)
    if (live.length > 0) this.warn(`LIVE: credentials ${live.join(', ')}`)
    const remaining = await remainingAfter(leaving, process.env, state)
    for (const each of remaining) this.warn(remainingText(leaving, each))
    const stays = keptText(state, leaving)
    if (flags['dry-run']) {
      await this.print(await describeLogout(state, leaving, systemClock.now()))
      return this.tell(stays)
    }
    const asked = consentFor(leaving, live)
    if (asked) await this.consent(flags.yes, 'Log out and remove the secrets?', asked.change, asked.atStake)
    const gone = await logOut(await this.openSender(), state, leaving, remaining)
    const {profile, revoked, removed, kept} = gone
    await this.print(single(gone, {profile, revoked, removed, kept}, profile))
    this.note(outcomeText(leaving, gone))
    this.tell(stays)
  }
}
