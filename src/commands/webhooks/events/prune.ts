import {pruneEvents, pruneFlags} from '../../../cli/features/webhooks/events.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'
import {single} from '../../../cli/terminal/result.js'
import {EVENT_RETENTION_SECONDS} from '../../../contract/stored-events.js'

export default class WebhooksEventsPrune extends BaseCommand {
  static override summary = 'Remove old received webhook events'
  static override description =
    `Acts on all profiles, and in a shared store for all machines. Events that are still to be forwarded stay. One that was
removed counts as new if it comes again. Without it, events go after ${EVENT_RETENTION_SECONDS / 24 / 3600} days while webhooks listen
runs.`
  static override examples = [
    'bookctl webhooks events prune --older-than 7d',
    'bookctl webhooks events prune --older-than 12h --json',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override columns = ['removed']
  static override flags = pruneFlags

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksEventsPrune)
    const events = await (await this.state()).events()
    const removed = await pruneEvents(events, flags['older-than'])
    await this.print(single({removed}, {removed}, String(removed)))
  }
}
