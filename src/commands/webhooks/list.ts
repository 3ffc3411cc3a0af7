import {warningUnless} from '../../cli/features/catalogue/content.js'
import {SUBSCRIPTION_COLUMNS, subscriptionList} from '../../cli/features/webhooks/subscriptions.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class WebhooksList extends BaseCommand {
  static override summary = 'List webhook subscriptions'
  static override operations = {'subscriptions.list': ''}
  static override description = pathNote(WebhooksList.operations)
  static override examples = ['bookctl webhooks list', 'bookctl webhooks list --json']
  static override columns = SUBSCRIPTION_COLUMNS

  async run(): Promise<void> {
    await this.parse(WebhooksList)
    const {api} = await this.connect()
    const {listSubscriptions} = await import('../../api/operations/webhooks.js')
    const {items, isComplete} = await listSubscriptions(api)
    await this.print({...subscriptionList(items), ...warningUnless(isComplete)})
  }
}
