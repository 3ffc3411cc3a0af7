import * as rotate from '../../cli/features/webhooks/rotate.js'
import {
  failNotStored,
  type KeptSubscription,
  subscriptionArg,
} from '../../cli/features/webhooks/subscriptions.js'
import {profileName} from '../../cli/session/resolve.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'

export default class WebhooksRotate extends BaseCommand {
  static override summary = 'Replace the signing secret of a webhook subscription'
  static override operations = {
    'subscriptions.create': 'to subscribe beside the old subscription',
    'subscriptions.list': 'to know its address and events',
    'subscriptions.delete': 'with --finish',
    'subscriptions.deliveries': 'with --finish, to warn of events that are still to come',
    'subscriptions.rotate': 'in place of them, where config.json names its path',
  }
  static override description =
    `Creates a subscription with a new secret beside the old one, for the same address and events. webhooks listen and verify on
this machine accept both secrets, a running listener within a second; your own program must accept both too. Each event comes
twice, with the same id, until --finish deletes the old subscription, which nothing else does. Either id names the pair.
Where the service can replace a secret itself, name the path for it: "paths": {"subscriptions.rotate": "…"}; --finish then
forgets the old secret. Deleting works with the local sandbox, and with another service once config.json names the path:
"paths": {"subscriptions.delete": "…"}.`
  static override examples = [
    'bookctl webhooks rotate whsub_…',
    'bookctl webhooks rotate whsub_… --secret-file new-secret.key --quiet',
    'bookctl webhooks rotate whsub_… --finish --yes',
  ]
  static override columns = [
    'id',
    'url',
    'events',
    'secret',
    'is_active',
    'stored_in',
    'secret_file',
    'replaces',
    'subscription_id',
    'deleted',
    'secret_removed',
    'replaced_by',
  ]
  static override candidates = {id: 'subscriptions'} as const
  static override args = subscriptionArg
  static override flags = rotate.rotateFlags

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksRotate)
    if (flags.finish) await this.finish(args.id, flags)
    else await this.start(args.id, flags)
  }

  private async start(id: string, flags: rotate.RotateFlags): Promise<void> {
    const target = await this.target()
    const state = await this.state()
    const profile = profileName(flags, state)
    rotate.refuseOpenRotation(state, profile, id)
    if (rotate.hasOwnRotation(target, state)) {
      const call = {parameters: {subscription_id: id}}
      if (flags['dry-run']) return this.printRequest('subscriptions.rotate', target, call)
      const kept = await rotate.rotateByService(await this.connect(target), id, flags)
      return this.show(kept, flags, `rotate again: bookctl webhooks rotate ${id}`)
    }
    const connection = await this.connect(target)
    const second = await rotate.planSecond(connection, profile, id, flags.again)
    if (flags['dry-run']) return this.printRequest('subscriptions.create', target, {body: second.wanted})
    await this.show(await rotate.createSecond(connection, id, second, flags), flags)
  }

  private async show(kept: KeptSubscription, flags: rotate.RotateFlags, remedy?: string): Promise<void> {
    for (const warning of kept.warnings) this.warn(`Warning: ${warning}`)
    if (kept.problem) return failNotStored(this, kept, flags, remedy)
    await this.print(kept.result)
    this.note([
      `The signing secret is not shown again by the service; it is stored (${kept.stored_in}), beside the old one.`,
      `Once your program checks with the new secret: bookctl webhooks rotate ${kept.id} --finish`,
    ])
  }

  private async finish(id: string, flags: rotate.RotateFlags): Promise<void> {
    const target = await this.target()
    const state = await this.state()
    const rotation = rotate.requireOpenRotation(state, profileName(flags, state), id)
    const {oldId} = rotation
    const call = {parameters: {subscription_id: oldId}}
    const isSent = rotate.deletesOld(rotation)
    if (flags['dry-run'] && isSent) return this.printRequest('subscriptions.delete', target, call)
    if (flags['dry-run']) return this.print(rotate.describeForgetting(rotation, state))
    const loss = isSent ? await rotate.lossOf(await this.connect(target), rotation) : undefined
    if (loss !== undefined) this.warn(loss)
    const atStake = {what: 'deleting a live subscription', undone: 'nothing was sent'}
    if (isSent && target.mode === 'live') await this.consent(flags.yes, `Delete ${oldId}?`, atStake)
    const done = isSent
      ? await rotate.finishRotation(await this.connect(target), rotation, flags)
      : rotate.forgetEarlier(state, rotation, flags)
    await this.print(single(done, done, oldId))
  }
}
