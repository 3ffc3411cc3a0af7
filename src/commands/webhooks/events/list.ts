import * as Flags from '@oclif/core/flags'
import {
  EVENT_LIST_COLUMNS,
  eventFilter,
  eventFilterFlags,
  eventList,
  eventRows,
} from '../../../cli/features/webhooks/events.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'
import {EVENT_RETENTION_SECONDS} from '../../../contract/stored-events.js'

export default class WebhooksEventsList extends BaseCommand {
  static override summary = 'List the events that webhooks listen received, newest first'
  static override description =
    `Events with a valid signature are stored for ${EVENT_RETENTION_SECONDS / 24 / 3600} days, each once. Those of all profiles are listed.`
  static override examples = [
    'bookctl webhooks events list --since 1h',
    'bookctl webhooks events list --type payment.failed --json',
    'bookctl webhooks events list --reservation RSV-…',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override columns = EVENT_LIST_COLUMNS
  static override candidates = {id: 'events', type: 'event-types', reservation: 'references'} as const
  static override flags = {
    ...eventFilterFlags,
    limit: Flags.integer({helpValue: 'N', min: 1, summary: 'maximum number of results (default all)'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksEventsList)
    const events = await (await this.state()).events()
    const filter = await eventFilter(flags, events)
    const {limit = Number.POSITIVE_INFINITY} = flags
    await this.print(eventList(await eventRows(events, filter, limit)))
  }
}
