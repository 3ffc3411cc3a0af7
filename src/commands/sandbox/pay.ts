import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {referenceArg} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {single} from '../../cli/terminal/result.js'

export default class SandboxPay extends SandboxCommand {
  static override summary = 'Pay an instant reservation of the local sandbox, or decline its payment'
  static override description = 'Does what a customer does on the payment page.'
  static override examples = ['bookctl sandbox pay RSV-…', 'bookctl sandbox pay RSV-… --decline --json']
  static override columns = ['reservation_ref', 'status', 'payment_status']
  static override candidates = {ref: 'references'} as const
  static override args = referenceArg
  static override flags = {decline: Flags.boolean({summary: 'decline the payment'}), ...dryRunFlag}

  async run(): Promise<void> {
    const {args, flags} = await this.parse(SandboxPay)
    const result = flags.decline ? 'failed' : 'paid'
    const reservation = await this.control(`/payments/${encodeURIComponent(args.ref)}`, {body: {result}})
    if (!reservation) return
    const {reservation_ref, status, payment} = reservation
    const payment_status = (payment as {status?: unknown} | undefined)?.status ?? null
    await this.print(single({reservation}, {reservation_ref, status, payment_status}, args.ref))
  }
}
