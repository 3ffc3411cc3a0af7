import * as Flags from '@oclif/core/flags'
import * as reservations from '../../cli/features/reservations/reservations.js'
import {checkedFlag, identifierFlag} from '../../cli/input/flags.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import {MOST_LISTED} from '../../contract/limits.js'

const instantFlag = checkedFlag(reservations.checkInstant)

export default class ReservationsList extends BaseCommand {
  static override summary = 'List reservations'
  static override operations = {'reservations.list': ''}
  static override description =
    `Prints one page unless --limit or --all asks for more. In JSON, "next" is the value for --after: null at the end, "?"
if there are more but the service does not say how to request them, which with --all is a failure (exit ${EXITS.service_failed.code}).
${pathNote(ReservationsList.operations)}`
  static override examples = [
    'bookctl reservations list',
    'bookctl reservations list --status CONFIRMED --created-from 2026-01-01 --all',
    "bookctl reservations list --limit 5 --query 'reservations[].reservation_ref'",
  ]
  static override columns = reservations.RESERVATIONS_COLUMNS
  static override flags = {
    'client-reference': identifierFlag('client_reference_id')({
      helpValue: 'REF',
      summary: 'only the reservation with this reference of yours',
    }),
    status: checkedFlag(reservations.readStatus)({
      helpValue: 'STATUS',
      summary: 'only reservations in this state, for example CONFIRMED',
    }),
    'created-from': instantFlag({
      helpValue: 'DATE',
      summary: 'created on this day (UTC) or later; or a timestamp',
    }),
    'created-to': instantFlag({
      helpValue: 'DATE',
      summary: 'created on this day (UTC) or earlier; or a timestamp',
    }),
    limit: Flags.integer({
      helpValue: 'N',
      min: 1,
      max: MOST_LISTED,
      summary: 'maximum number of reservations',
      exclusive: ['all'],
    }),
    after: checkedFlag(reservations.checkCursor)({
      helpValue: 'CURSOR',
      summary: 'continue after an earlier page: its "next"',
    }),
    all: Flags.boolean({summary: 'all reservations, page after page'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ReservationsList)
    const {limit, after, all, status} = flags
    const query = {
      client_reference_id: flags['client-reference'],
      status,
      created_from: flags['created-from'],
      created_to: flags['created-to'],
    }
    const {next, ...result} = await reservations.list(await this.connect(), {query, limit, after, all})
    await this.print(result)
    if (next !== null && result.warning === undefined) this.note('There are more: --all, or --limit N')
  }
}
