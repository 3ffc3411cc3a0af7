import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {
  describeForgetChange,
  describeForgetting,
  FORGOTTEN_COLUMNS,
  findForgettable,
  forgetEntry,
} from '../../cli/features/reserve/journal.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {systemClock} from '../../contract/dates.js'

export default class JournalForget extends BaseCommand {
  static override summary = 'Give up on a reservation whose outcome cannot be found out'
  static override description =
    `Removes the stored request, which has guest data; it cancels nothing at the service. The reference, the key and the hash
of the request stay, so that the same request is never sent again by mistake. Ask the operator whether the reservation exists
before you book again: that could be a second booking.`
  static override examples = [
    'bookctl journal forget trip-… --dry-run',
    'bookctl journal forget trip-… --yes --quiet',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override columns = FORGOTTEN_COLUMNS
  static override candidates = {reference: 'client-references'} as const
  static override args = {reference: Args.string({required: true, description: 'your client reference'})}
  static override flags = {yes: Flags.boolean({summary: 'do not ask'}), ...dryRunFlag}

  async run(): Promise<void> {
    const {args, flags} = await this.parse(JournalForget)
    const state = await this.state()
    const entry = await findForgettable(state, args.reference, this.typed['base-url'], () => this.client())
    if (flags['dry-run']) return this.print(describeForgetChange(entry, state))
    const change = {what: 'forgetting it', undone: 'nothing was removed'}
    await this.consent(flags.yes, 'Forget it?', change, describeForgetting(entry))
    await this.print(await forgetEntry(state, entry, systemClock.now()))
  }
}
