import {subscriptionArg, TEST_COLUMNS, testResult} from '../../cli/features/webhooks/subscriptions.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class WebhooksTest extends BaseCommand {
  static override summary = 'Send a test event to a subscription'
  static override description = 'The service sends the event; webhooks listen shows it.'
  static override examples = [
    'bookctl webhooks test "$SUBSCRIPTION"',
    'bookctl webhooks test "$SUBSCRIPTION" --json',
  ]
  static override columns = TEST_COLUMNS
  static override candidates = {id: 'subscriptions'} as const
  static override args = subscriptionArg
  static override flags = dryRunFlag

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksTest)
    const {id} = args
    const target = await this.target()
    const call = {parameters: {subscription_id: id}}
    if (flags['dry-run']) return this.printCall('subscriptions.test', target, call)
    const {api} = await this.connect(target)
    const {sendTestEvent} = await import('../../api/operations/webhooks.js')
    await this.print(testResult(id, await sendTestEvent(api, id)))
  }
}
