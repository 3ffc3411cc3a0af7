import * as Flags from '@oclif/core/flags'
import {awaitedText, waitForEvent} from '../../../cli/features/webhooks/event-wait.js'
import {eventDetails, eventFilter, eventFilterFlags} from '../../../cli/features/webhooks/events.js'
import {unknownEventWarnings} from '../../../cli/features/webhooks/subscriptions.js'
import {durationFlag} from '../../../cli/input/flags.js'
import {missing} from '../../../cli/input/usage-errors.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'
import {EXITS} from '../../../cli/shell/exit-codes.js'
import {openProgress} from '../../../cli/terminal/progress.js'
import {systemClock} from '../../../contract/dates.js'

export default class WebhooksEventsWait extends BaseCommand {
  static override summary = 'Wait for a webhook event, and show it'
  static override description =
    `Waits until webhooks listen, in any process, or with a shared store on any machine, has stored a matching event; it opens no
port itself. Prints the event as webhooks events show does: the newest one if it is stored already, unless --new.`
  static override examples = [
    'bookctl webhooks events wait --reservation RSV-… --type voucher.ready --within 120',
    'bookctl webhooks events wait --reservation RSV-… --type voucher.ready --query event.event_id',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override candidates = {id: 'events', type: 'event-types', reservation: 'references'} as const
  static override flags = {
    ...eventFilterFlags,
    new: Flags.boolean({summary: 'only an event that is stored from now on'}),
    within: durationFlag({
      helpValue: 'SECONDS',
      summary: `exit with ${EXITS.pending.code} if it does not come within SECONDS (default no limit)`,
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksEventsWait)
    const {reservation, type, id, new: isNew, within: seconds} = flags
    if (!isNew && [reservation, type, id].every(each => each === undefined))
      throw missing(['--reservation, --type, --id or --new'])
    for (const warning of unknownEventWarnings(type)) this.warn(warning)
    const store = await (await this.state()).events()
    const filter = await eventFilter(flags, store)
    this.stopNote = {state: `${awaitedText(filter)} had not come`, hint: 'to wait on, run the command again'}
    const warn = (text: string) => void this.warn(text)
    const wait = () => waitForEvent(store, {filter, isNew, seconds, clock: systemClock, warn})
    const progress = openProgress(this.globals.quiet, process.env)
    const event = await (progress?.during(`waiting for ${awaitedText(filter)}`, wait) ?? wait())
    await this.print(await eventDetails(store, event))
  }
}
