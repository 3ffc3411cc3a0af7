import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {DELIVERY_COLUMNS, deliveryList} from '../../cli/features/sandbox/deliveries.js'
import {identifierFlag} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'

export default class SandboxDeliveries extends SandboxCommand {
  static override summary = "Show the local sandbox's deliveries of events, with every attempt."
  static override description =
    `What waits is sent when its time comes; bookctl sandbox clock --advance 1m brings the time. --redeliver makes one more
attempt now and shows that delivery. Environment: BOOKCTL_BASE_URL, BOOKCTL_CONFIG_DIR.`
  static override examples = ['bookctl sandbox deliveries', 'bookctl sandbox deliveries --json']
  static override columns = DELIVERY_COLUMNS
  static override flags = {
    limit: Flags.integer({
      helpValue: 'N',
      min: 1,
      max: 5000,
      default: 1000,
      summary: 'the newest N, up to 5000',
      exclusive: ['redeliver'],
    }),
    redeliver: identifierFlag('delivery_id')({
      helpValue: 'DELIVERY_ID',
      summary: 'make an attempt of this delivery now',
    }),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxDeliveries)
    const id = flags.redeliver
    if (id === undefined) return this.list(flags.limit, flags['dry-run'])
    if (flags['dry-run']) return this.print(this.describe(`/deliveries/${id}/redeliver`, {}))
    await this.print(deliveryList([await this.control(`/deliveries/${id}/redeliver`, {})]))
  }

  /** One more than are shown tells whether there are more. */
  private async list(limit: number, isDry: boolean): Promise<void> {
    const path = `/deliveries?limit=${limit + 1}`
    if (isDry) return this.print(this.describe(path))
    const found = (await this.control(path)).data as unknown[]
    await this.print(deliveryList(found.slice(-limit)))
    if (found.length > limit) this.tell('There are older ones, which are not shown: --limit N, up to 5000')
  }
}
