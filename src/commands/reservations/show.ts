import * as Flags from '@oclif/core/flags'
import {
  EVENTS_COLUMN,
  RESERVATIONS_COLUMNS,
  show,
  showSeveral,
} from '../../cli/features/reservations/reservations.js'
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
    'bookctl reservations show RSV-… --events --json',
    'bookctl reservations list --limit 5 --quiet | bookctl reservations show - --format ndjson',
  ]
  static override columns = [...RESERVATIONS_COLUMNS, EVENTS_COLUMN, ERROR_COLUMN]
  static override candidates = {ref: 'references'} as const
  static override args = referencesArg
  static override flags = {
    events: Flags.boolean({summary: 'also the webhook events about it that were received, newest first'}),
  }

  protected override async alsoWrong({args}: {args: ReferenceWords}) {
    await readReferences(args.ref)
    return []
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ReservationsShow)
    const {only, references} = await readReferences(args.ref)
    const connection = await this.connect()
    const eventsOf = async (reservation: string) => {
      const {eventRows} = await import('../../cli/features/webhooks/events.js')
      return eventRows(await (await this.state()).events(), {reservation}, Number.POSITIVE_INFINITY)
    }
    if (only === undefined)
      return showSeveral(this, connection, references, this.globals, flags.events ? eventsOf : undefined)
    const events = flags.events ? await eventsOf(only) : undefined
    await this.print(await show(connection, only, text => void this.warn(text), events))
    if (events === undefined || !this.showsRecords()) return
    const {eventList} = await import('../../cli/features/webhooks/events.js')
    await this.print(eventList(events, `No events about ${only} were received.`))
  }
}
