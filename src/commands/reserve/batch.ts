import * as Args from '@oclif/core/args'
import {BATCH_COLUMNS, BatchPipeline} from '../../cli/features/batch/batch.js'
import {batchFlags} from '../../cli/features/batch/flags.js'
import {templateText} from '../../cli/features/batch/template.js'
import {missing} from '../../cli/input/usage-errors.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'

export default class ReserveBatch extends BaseCommand {
  static override summary = 'Book the trips of a file, each once'
  static override operations = {
    'reservations.create': '',
    'hotels.search': 'for trips without an offer',
    'account.show': 'to show the balance',
    'reservations.show': 'to look at a booking',
    'voucher.show': 'to look at a booking',
  }
  static override description =
    `FILE has the trips: CSV as a spreadsheet saves it, with a row for each guest (rows with the same client_reference_id are one
trip), NDJSON or a JSON array; - is standard input. --template prints one to start from. A trip names an offer, or a search whose
cheapest fitting offer is booked.

The whole file is read before anything is sent, and every mistake in it is reported with its line and column. Then the plan is
shown with its total, and one question is asked for all of it.

Each trip is booked once, by its client_reference_id. The same command again goes on where the last one ended, after a crash too:
what is booked is reported, and the rest is booked.

Ends with ${EXITS.not_as_agreed.code} if some trips were refused or not sent, ${EXITS.pending.code} if some wait for their payment, ${EXITS.outcome_unknown.code} as soon as an outcome is unknown.`
  static override examples = [
    'bookctl reserve batch --template csv',
    'bookctl reserve batch trips.csv --dry-run',
    'bookctl reserve batch trips.csv --yes --max-total "9000 EUR" --failed failed.csv --vouchers vouchers --format ndjson',
  ]
  static override columns = BATCH_COLUMNS
  static override args = {
    file: Args.string({description: 'CSV, NDJSON or JSON file, or - for standard input'}),
  }
  static override flags = batchFlags

  /** A pipe that closes early (`| head -1`) must not leave trips unsent and end with 0. */
  override readonly outlivesReader = true

  /** The batch shows its own progress. */
  protected override async connectOptions(ignoresInvalid = false) {
    return {...(await super.connectOptions(ignoresInvalid)), quiet: true}
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ReserveBatch)
    if (flags.template) {
      const text = await templateText(flags.template)
      return this.print({document: {template: text}, items: [], columns: [], text})
    }
    if (args.file === undefined)
      throw missing(['FILE'], 'to start from: bookctl reserve batch --template csv')
    this.printsLines = this.globals.format === 'ndjson' && !this.globals.json && !flags['dry-run']
    const given = {...flags, ...this.globals, preferred: await this.preferences()}
    await new BatchPipeline(this, given).book(args.file)
  }
}
