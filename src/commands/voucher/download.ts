import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {
  checkForSeveral,
  describeDownload,
  describeDownloads,
  fetchBytes,
  planVoucher,
  saveVoucher,
  saveVouchers,
  VOUCHER_COLUMNS,
} from '../../cli/features/reserve/voucher.js'
import {ERROR_COLUMN, SEVERAL_NOTE} from '../../cli/features/several/each.js'
import {waitFlag} from '../../cli/input/flags.js'
import {type ReferenceWords, readReferences, referencesArg} from '../../cli/input/references.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'

export default class VoucherDownload extends BaseCommand {
  static override summary = 'Download the vouchers of confirmed reservations'
  static override operations = {'voucher.show': '', 'reservations.list': 'to choose at a terminal'}
  static override description =
    `Each PDF is written completely or not at all, readable only by you, and never over an existing file without --force.
With --dir the file is DIR/REF.pdf, otherwise voucher-REF.pdf in the working directory.
${SEVERAL_NOTE}`
  static override examples = [
    'bookctl voucher download RSV-…',
    'bookctl voucher download RSV-… --file trip.pdf --force --wait=60',
    'bookctl voucher download RSV-… --file - > piped.pdf',
    'bookctl reservations list --status CONFIRMED --quiet | bookctl voucher download - --dir vouchers',
  ]
  static override columns = [...VOUCHER_COLUMNS, ERROR_COLUMN]
  static override candidates = {ref: 'vouchers'} as const
  static override args = referencesArg
  static override flags = {
    file: Flags.string({helpValue: 'PATH|-', summary: 'output file of one voucher; - is standard output'}),
    dir: Flags.string({
      helpValue: 'DIR',
      exclusive: ['file'],
      summary: 'directory of the output files; it is made if it is missing',
    }),
    force: Flags.boolean({summary: 'replace existing files'}),
    wait: waitFlag('wait until it is ready'),
    ...dryRunFlag,
  }

  protected override async alsoWrong({args, flags}: {args: ReferenceWords; flags: {file?: string}}) {
    const {only} = await readReferences(args.ref)
    if (only === undefined) checkForSeveral(flags)
    return []
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(VoucherDownload)
    const {only, references} = await readReferences(args.ref)
    if (only === undefined) {
      checkForSeveral(flags)
      const target = await this.target()
      if (!flags['dry-run']) return saveVouchers(this, await this.connect(target), references, flags)
      const warn = (text: string) => void this.warn(text)
      return this.print(describeDownloads(target, references, flags, warn))
    }
    const path = planVoucher(only, flags)
    const target = await this.target()
    if (flags['dry-run']) return this.print(describeDownload(target, only, path))
    const connection = await this.connect(target)
    if (path === undefined) {
      process.stdout.write(await fetchBytes(connection, only, flags))
      return
    }
    const saved = await saveVoucher(connection, only, flags, path)
    await this.print(single(saved, saved, saved.path))
  }
}
