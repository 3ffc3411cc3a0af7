import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../cli/base-command.js'
import {checkIdentifier} from '../../cli/input/checks.js'
import {RESERVATIONS_COLUMNS, show} from '../../cli/reservations/reservations.js'

export default class ReservationsShow extends BaseCommand {
  static override summary = 'Show one reservation.'
  static override description = `With --json it is the reservation whole, as the service sent it.
The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"reservations.show": "…"}. Needs the scope reservations:read. Environment: those of every command.`
  static override examples = [
    'bookctl reservations show "$RESERVATION"',
    'bookctl reservations show "$RESERVATION" --query reservation.status',
  ]
  static override columns = RESERVATIONS_COLUMNS
  static override candidates = {ref: 'references'} as const
  static override args = {
    ref: Args.string({required: true, ignoreStdin: true, description: 'reference of the reservation'}),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(ReservationsShow)
    const reference = checkIdentifier('reservation_ref', 'REF', args.ref)
    await this.print(await show(await this.connect(), reference, text => void this.warn(text)))
  }
}
