import * as Flags from '@oclif/core/flags'
import {readLedgerColumns} from '../../cli/features/reconcile/ledger.js'
import {reconcile} from '../../cli/features/reconcile/reconcile.js'
import {RECONCILE_COLUMNS} from '../../cli/features/reconcile/result.js'
import {readUntil} from '../../cli/features/reconcile/window.js'
import {readSince} from '../../cli/input/checks.js'
import {checkedFlag} from '../../cli/input/flags.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'

export default class ReservationsReconcile extends BaseCommand {
  static override summary = 'Compare the journal, or your own books, with the reservations of the service'
  static override operations = {
    'reservations.list': '',
    'reservations.show': 'for what the list lacks',
    'reservations.create': 'with --resolve',
  }
  static override description =
    `Each difference has a kind: missing_there and missing_here; twice: two reservations of one reference, or for the same guests,
hotel and dates; price, currency, status; unresolved: a reservation whose outcome was never found out. What the list does not have or say
is looked up before anything is called a difference. Exit ${EXITS.not_as_agreed.code} if there are differences.
${pathNote(ReservationsReconcile.operations)}`
  static override examples = [
    'bookctl reservations reconcile',
    'bookctl reservations reconcile --since 7d --resolve',
    'bookctl reservations reconcile --ledger january.csv --ledger-columns reference=Booking,price=Total,currency=Currency,status=State --since 2026-01-01 --until 2026-01-31',
    "bookctl reservations reconcile --query 'differences[].reservation_ref'",
  ]
  static override columns = RECONCILE_COLUMNS
  static override flags = {
    since: checkedFlag(readSince)({
      helpValue: 'TIME|AGO',
      summary: 'made since a time, or in the last 30s, 10m, 2h, 1d',
    }),
    until: checkedFlag(readUntil)({
      helpValue: 'TIME|AGO',
      summary: 'made before a time, or until the end of a day (UTC)',
    }),
    ledger: Flags.string({
      helpValue: 'FILE|-',
      summary: 'compare a CSV file of your own books instead of the journal',
      exclusive: ['resolve'],
    }),
    'ledger-columns': checkedFlag(readLedgerColumns)({
      helpValue: 'FIELD=NAME,…',
      summary:
        'columns of the file: reference=NAME, and any of price, currency and status (default: named so)',
      dependsOn: ['ledger'],
    }),
    resolve: Flags.boolean({summary: 'first find out how unresolved reservations ended'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ReservationsReconcile)
    await reconcile(this, flags)
  }
}
