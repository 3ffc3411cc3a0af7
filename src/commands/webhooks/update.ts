import * as Flags from '@oclif/core/flags'
import {
  eventFlag,
  notAsAsked,
  requireHttps,
  SEVERAL_TYPES,
  SUBSCRIPTION_COLUMNS,
  subscriptionArg,
  subscriptionList,
  subscriptionUrlFlag,
  unknownEventWarnings,
} from '../../cli/features/webhooks/subscriptions.js'
import {missing} from '../../cli/input/usage-errors.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {DELIVERY_ATTEMPTS} from '../../contract/limits.js'

export default class WebhooksUpdate extends BaseCommand {
  static override summary = 'Change a webhook subscription'
  static override operations = {'subscriptions.update': ''}
  static override description =
    `--active reactivates a subscription that went passive after ${DELIVERY_ATTEMPTS} failed attempts.
${pathNote(WebhooksUpdate.operations)}`
  static override examples = [
    'bookctl webhooks update whsub_… --active',
    'bookctl webhooks update whsub_… --event voucher.ready --event payment.failed --dry-run',
  ]
  static override columns = SUBSCRIPTION_COLUMNS
  static override candidates = {id: 'subscriptions', event: 'event-types'} as const
  static override args = subscriptionArg
  static override flags = {
    url: subscriptionUrlFlag({helpValue: 'HTTPS_URL', summary: 'new address to send the events to'}),
    event: eventFlag({...SEVERAL_TYPES, summary: 'event type; those given replace all others (repeatable)'}),
    active: Flags.boolean({summary: 'send events again', exclusive: ['passive']}),
    passive: Flags.boolean({summary: 'send no events'}),
    'dry-run': Flags.boolean({summary: 'print the request and send nothing'}),
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksUpdate)
    const {id} = args
    const {url, event, active, passive} = flags
    if (url === undefined && !event && !active && !passive) {
      throw missing(['--url, --event, --active or --passive'])
    }
    const target = await this.target()
    if (url !== undefined) requireHttps(url, target)
    const change = {
      ...(url === undefined ? {} : {url}),
      ...(event ? {events: [...new Set(event)]} : {}),
      ...(active || passive ? {is_active: Boolean(active)} : {}),
    }
    for (const warning of unknownEventWarnings(change.events)) this.warn(warning)
    const call = {parameters: {subscription_id: id}, body: change}
    if (flags['dry-run']) return this.printRequest('subscriptions.update', target, call)
    const {api} = await this.connect(target)
    const {updateSubscription} = await import('../../api/operations/webhooks.js')
    const {subscription, deviations} = await updateSubscription(api, id, change)
    const warning = notAsAsked(id, deviations)
    if (warning !== undefined) this.warn(`Warning: ${warning}`)
    await this.print({...subscriptionList([subscription]), document: {subscription}, single: true})
  }
}
