import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {DELIVERY_COLUMNS, deliveryList} from '../../cli/features/sandbox/deliveries.js'
import {identifierFlag} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'

export default class SandboxDeliveries extends SandboxCommand {
  static override summary = "List the local sandbox's deliveries of events, with every attempt."
  static override description =
    `A pending delivery is sent when it falls due: bookctl sandbox clock --advance 1m. --redeliver sends one delivery again now
and shows it.`
  static override examples = ['bookctl sandbox deliveries', 'bookctl sandbox deliveries --json']
  static override columns = DELIVERY_COLUMNS
  static override flags = {
    limit: Flags.integer({
      helpValue: 'N',
      min: 1,
      max: 5000,
      default: 1000,
      summary: 'maximum number of deliveries, newest first, up to 5000',
      exclusive: ['redeliver'],
    }),
    redeliver: identifierFlag('delivery_id')({
      helpValue: 'DELIVERY_ID',
      summary: 'send this delivery again now',
    }),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxDeliveries)
    const {redeliver: id, limit} = flags
    // One more than is shown is asked for, to know whether there are older ones.
    const answer = await (id === undefined
      ? this.control(`/deliveries?limit=${limit + 1}`)
      : this.control(`/deliveries/${id}/redeliver`, {body: {}}))
    if (!answer) return
    const found = (answer.data ?? [answer]) as unknown[]
    await this.print(deliveryList(found.slice(-limit)))
    if (found.length > limit) this.tell('There are older deliveries: --limit N, up to 5000')
  }
}
