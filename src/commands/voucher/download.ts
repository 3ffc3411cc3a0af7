import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {describeDownload, fetchBytes, planVoucher, saveVoucher} from '../../cli/features/reserve/voucher.js'
import {referenceArg, waitFlag} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'

export default class VoucherDownload extends BaseCommand {
  static override summary = 'Download the voucher of a confirmed reservation'
  static override description =
    `The PDF is written completely or not at all, readable only by you, and never over an existing file without --force.`
  static override examples = [
    'bookctl voucher download RSV-…',
    'bookctl voucher download RSV-… --file trip.pdf --force --wait=60',
    'bookctl voucher download RSV-… --file - > piped.pdf',
  ]
  static override columns = ['reservation_ref', 'path', 'bytes', 'sha256']
  static override candidates = {ref: 'vouchers'} as const
  static override args = referenceArg
  static override flags = {
    file: Flags.string({helpValue: 'PATH|-', summary: 'output file; - is standard output'}),
    force: Flags.boolean({summary: 'replace an existing file'}),
    wait: waitFlag('wait until it is ready'),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(VoucherDownload)
    const {ref} = args
    const path = planVoucher(ref, flags)
    const target = await this.target()
    if (flags['dry-run']) return this.print(describeDownload(target, ref, path))
    const connection = await this.connect(target)
    if (path === undefined) {
      process.stdout.write(await fetchBytes(connection, ref, flags))
      return
    }
    const saved = await saveVoucher(connection, ref, flags, path)
    await this.print(single(saved, saved, saved.path))
  }
}
