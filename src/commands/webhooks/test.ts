import {subscriptionArg} from '../../cli/features/webhooks/subscriptions.js'
import {
  DELIVERY_WAIT_SECONDS,
  TEST_COLUMNS,
  testSubscription,
} from '../../cli/features/webhooks/test-event.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class WebhooksTest extends BaseCommand {
  static override summary = 'Send a test event to a subscription'
  static override operations = {
    'subscriptions.test': '',
    'subscriptions.deliveries': "to show the receiver's answer",
  }
  static override description =
    `The service sends the event; webhooks listen shows it. What the receiver answered, and how fast, is shown where the service
tells within ${DELIVERY_WAIT_SECONDS} seconds: the local sandbox does, and another one once config.json names the path for it, which its documentation
does not name: "paths": {"subscriptions.deliveries": "…"}. That needs the scope webhooks:read.`
  static override examples = ['bookctl webhooks test whsub_…', 'bookctl webhooks test whsub_… --json']
  static override columns = TEST_COLUMNS
  static override candidates = {id: 'subscriptions'} as const
  static override args = subscriptionArg
  static override flags = dryRunFlag

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksTest)
    const {id} = args
    const target = await this.target()
    const call = {parameters: {subscription_id: id}}
    if (flags['dry-run']) return this.printRequest('subscriptions.test', target, call)
    const connection = await this.connect(target)
    this.stopNote = {hint: 'the test event may have been sent; see what came: bookctl webhooks events list'}
    await this.print(await testSubscription(connection, id))
  }
}
