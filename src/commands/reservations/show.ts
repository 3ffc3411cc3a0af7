import {RESERVATIONS_COLUMNS, show} from '../../cli/features/reservations/reservations.js'
import {referenceArg} from '../../cli/input/flags.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ReservationsShow extends BaseCommand {
  static override summary = 'Show one reservation'
  static override description = `With --json the whole reservation, as the service sent it.
${pathNote('reservations.show')}`
  static override examples = [
    'bookctl reservations show RSV-…',
    'bookctl reservations show RSV-… --query reservation.status',
  ]
  static override columns = RESERVATIONS_COLUMNS
  static override candidates = {ref: 'references'} as const
  static override args = referenceArg

  async run(): Promise<void> {
    const {args} = await this.parse(ReservationsShow)
    await this.print(await show(await this.connect(), args.ref, text => void this.warn(text)))
  }
}
