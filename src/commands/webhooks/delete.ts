import * as Flags from '@oclif/core/flags'
import {deleteAndForget, subscriptionArg} from '../../cli/features/webhooks/subscriptions.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'

export default class WebhooksDelete extends BaseCommand {
  static override summary = 'Delete a webhook subscription and forget its secret'
  static override operations = {'subscriptions.delete': ''}
  static override description = pathNote(WebhooksDelete.operations)
  static override examples = [
    'bookctl webhooks delete whsub_… --dry-run',
    'bookctl webhooks delete whsub_… --yes',
  ]
  static override columns = ['subscription_id', 'deleted', 'secret_removed']
  static override candidates = {id: 'subscriptions'} as const
  static override args = subscriptionArg
  static override flags = {
    yes: Flags.boolean({summary: 'delete at a live service without asking'}),
    'dry-run': Flags.boolean({summary: 'print the request and send nothing'}),
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksDelete)
    const {id} = args
    const target = await this.target()
    const call = {parameters: {subscription_id: id}}
    if (flags['dry-run']) return this.printRequest('subscriptions.delete', target, call)
    const atStake = {what: 'deleting a live subscription', undone: 'nothing was sent'}
    if (target.mode === 'live') await this.consent(flags.yes, `Delete ${id}?`, atStake)
    const connection = await this.connect(target)
    const done = await deleteAndForget(connection, id, flags)
    await this.print(single(done, done, id))
  }
}
