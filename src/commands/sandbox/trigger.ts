import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {triggered} from '../../cli/features/sandbox/deliveries.js'
import {checkedArg, identifierArg} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {EVENT_TYPE_NAMES, isEventType} from '../../contract/events.js'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'

export default class SandboxTrigger extends SandboxCommand {
  static override summary = "Send an event to the local sandbox's subscriptions."
  static override description =
    `The event is signed, delivered and tried again like any other, but nothing else happens: no reservation is changed. With REF
it is about that reservation and goes to the subscriptions of its client; without, it is about one that does not exist and goes
to all.`
  static override examples = [
    'bookctl sandbox trigger reservation.confirmed',
    'bookctl sandbox trigger payment.failed "$RESERVATION" --json',
  ]
  static override columns = ['event_id', 'type', 'reservation_ref', 'deliveries', 'delivered']
  static override candidates = {type: 'event-types', ref: 'references'} as const
  static override args = {
    type: checkedArg((_, text) => {
      if (isEventType(text)) return text
      const types = EVENT_TYPE_NAMES.join(', ')
      throw usage(
        'unknown_event_type',
        `unknown event type ${sanitizeLine(text, 60)}: expected one of ${types}`,
      )
    })({required: true, description: 'type of the event'}),
    ref: identifierArg('reservation_ref')({description: 'reservation it is about'}),
  }
  static override flags = dryRunFlag

  async run(): Promise<void> {
    const {args} = await this.parse(SandboxTrigger)
    const body = {type: args.type, ...(args.ref === undefined ? {} : {reservation_ref: args.ref})}
    const answer = await this.control('/trigger', {body})
    if (!answer) return
    const {result, note} = triggered(answer)
    await this.print(result)
    if (note !== undefined) this.note(note)
  }
}
