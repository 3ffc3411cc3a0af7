import * as Args from '@oclif/core/args'
import {eventDetails, findEvent} from '../../../cli/features/webhooks/events.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'

export default class WebhooksEventsShow extends BaseCommand {
  static override summary = 'Show a received webhook event: headers and body, unchanged'
  static override examples = [
    'bookctl webhooks events show evt_…',
    'bookctl webhooks events show evt_… --query event.event.data.status',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override candidates = {event_id: 'events'} as const
  static override args = {event_id: Args.string({required: true, description: 'id of the event'})}

  async run(): Promise<void> {
    const {args} = await this.parse(WebhooksEventsShow)
    const events = await (await this.state()).events()
    await this.print(await eventDetails(events, await findEvent(events, args.event_id)))
  }
}
