import * as Flags from '@oclif/core/flags'
import {
  checkCursor,
  checkInstant,
  list,
  RESERVATIONS_COLUMNS,
  readStatus,
} from '../../cli/features/reservations/reservations.js'
import {checkedFlag, identifierFlag} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

const instantFlag = checkedFlag(checkInstant)

export default class ReservationsList extends BaseCommand {
  static override summary = 'List the reservations.'
  static override description =
    `One page unless --limit or --all asks for more; the JSON's "next" is what --after takes to go on: null at the end, "?"
where there are more and the service does not say how to ask for them, which with --all is a failure (exit 6).
The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"reservations.list": "…"}. Needs the scope reservations:read. Environment: those of every command.`
  static override examples = [
    'bookctl reservations list',
    'bookctl reservations list --status CONFIRMED --created-from 2026-01-01 --all',
    "bookctl reservations list --limit 5 --query 'reservations[].reservation_ref'",
  ]
  static override columns = RESERVATIONS_COLUMNS
  static override flags = {
    'client-reference': identifierFlag('client_reference_id')({
      helpValue: 'REF',
      summary: 'only the one with your own reference',
    }),
    status: checkedFlag(readStatus)({
      helpValue: 'STATUS',
      summary: 'only those in this state, for example CONFIRMED',
    }),
    'created-from': instantFlag({
      helpValue: 'DATE',
      summary: 'made on this day (UTC) or later; or a timestamp',
    }),
    'created-to': instantFlag({
      helpValue: 'DATE',
      summary: 'made on this day (UTC) or before; or a timestamp',
    }),
    limit: Flags.integer({
      helpValue: 'N',
      min: 1,
      max: 100_000,
      summary: 'at most so many',
      exclusive: ['all'],
    }),
    after: checkedFlag(checkCursor)({
      helpValue: 'CURSOR',
      summary: 'those after an earlier page: its "next"',
    }),
    all: Flags.boolean({summary: 'all there are, page after page'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ReservationsList)
    const {limit, after, all, status} = flags
    const {'client-reference': clientReference, 'created-from': createdFrom, 'created-to': createdTo} = flags
    const wish = {clientReference, status, createdFrom, createdTo, limit, after, all}
    const {next, ...result} = await list(await this.connect(), wish)
    await this.print(result)
    if (next !== null && result.warning === undefined) this.note('There are more: --all, or --limit N')
  }
}
