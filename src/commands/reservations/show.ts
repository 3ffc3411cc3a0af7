import {RESERVATIONS_COLUMNS, show, showSeveral} from '../../cli/features/reservations/reservations.js'
import {ERROR_COLUMN, SEVERAL_NOTE} from '../../cli/features/several/each.js'
import {type ReferenceWords, readReferences, referencesArg} from '../../cli/input/references.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ReservationsShow extends BaseCommand {
  static override summary = 'Show reservations'
  static override operations = {'reservations.show': ''}
  static override description = `With --json the whole reservation, as the service sent it.
${SEVERAL_NOTE}
${pathNote(ReservationsShow.operations)}`
  static override examples = [
    'bookctl reservations show RSV-…',
    'bookctl reservations show RSV-… --query reservation.status',
    'bookctl reservations list --limit 5 --quiet | bookctl reservations show - --format ndjson',
  ]
  static override columns = [...RESERVATIONS_COLUMNS, ERROR_COLUMN]
  static override candidates = {ref: 'references'} as const
  static override args = referencesArg

  protected override async alsoWrong({args}: {args: ReferenceWords}) {
    await readReferences(args.ref)
    return []
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ReservationsShow)
    const {only, references} = await readReferences(args.ref)
    const connection = await this.connect()
    if (only === undefined) return showSeveral(this, connection, references, flags)
    await this.print(await show(connection, only, text => void this.warn(text)))
  }
}
