import {giveUpForwards, pruneEvents, pruneFlags} from '../../../cli/features/webhooks/events.js'
import {missing} from '../../../cli/input/usage-errors.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'
import {single} from '../../../cli/terminal/result.js'
import {EVENT_RETENTION_SECONDS} from '../../../contract/stored-events.js'

export default class WebhooksEventsPrune extends BaseCommand {
  static override summary = 'Remove old received webhook events, or give up forwards'
  static override description =
    `Acts on all profiles, and in a shared store for all machines. Events that are still to be forwarded stay. One that was
removed counts as new if it comes again. Without it, events go after ${EVENT_RETENTION_SECONDS / 24 / 3600} days while webhooks listen
runs.

With --forwards-to it removes nothing, and gives up the forwards that wait for an address which no listener has any more. They are
then listed as given up, and webhooks events replay sends such an event to another address.`
  static override examples = [
    'bookctl webhooks events prune --older-than 7d',
    'bookctl webhooks events prune --older-than 12h --json',
    'bookctl webhooks events prune --forwards-to http://127.0.0.1:3000/old',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override columns = ['removed', 'given_up']
  static override flags = pruneFlags

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksEventsPrune)
    const events = await (await this.state()).events()
    const {'older-than': age, 'forwards-to': target} = flags
    if (target !== undefined) {
      const givenUp = await giveUpForwards(events, target)
      return this.print(single({given_up: givenUp}, {given_up: givenUp}, String(givenUp)))
    }
    if (age === undefined) throw missing(['--older-than or --forwards-to'])
    const removed = await pruneEvents(events, age)
    await this.print(single({removed}, {removed}, String(removed)))
  }
}
