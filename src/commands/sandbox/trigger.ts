import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {checkedArg, identifierArg} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {single} from '../../cli/terminal/result.js'
import {EVENT_TYPE_NAMES, isEventType} from '../../contract/events.js'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'

/** The answer of the sandbox to `/trigger`. */
interface Triggered {
  readonly event: {readonly id: string; readonly type: string; readonly data: Record<string, unknown>}
  readonly deliveries: readonly {readonly status: string}[]
}

const TYPES = EVENT_TYPE_NAMES.join(', ')

export default class SandboxTrigger extends SandboxCommand {
  static override summary = "Send an event to the local sandbox's subscriptions"
  static override description =
    `The event is signed, delivered and tried again like any other, but nothing else happens: no reservation is changed. With REF
it is about that reservation and goes to the subscriptions of its client; without, it is about one that does not exist and goes
to all.`
  static override examples = [
    'bookctl sandbox trigger reservation.confirmed',
    'bookctl sandbox trigger payment.failed RSV-… --json',
  ]
  static override columns = ['event_id', 'type', 'reservation_ref', 'deliveries', 'delivered']
  static override candidates = {type: 'event-types', ref: 'references'} as const
  static override args = {
    type: checkedArg((_, text) => {
      if (isEventType(text)) return text
      const problem = `unknown event type ${sanitizeLine(text, 60)}: expected one of ${TYPES}`
      throw usage('unknown_event_type', problem)
    })({required: true, description: `type of the event: ${TYPES}`}),
    ref: identifierArg('reservation_ref')({description: 'reservation it is about'}),
  }
  static override flags = dryRunFlag

  async run(): Promise<void> {
    const {args} = await this.parse(SandboxTrigger)
    const body = {type: args.type, ...(args.ref === undefined ? {} : {reservation_ref: args.ref})}
    const answer = await this.control('/trigger', {body})
    if (!answer) return
    const {event, deliveries} = answer as unknown as Triggered
    const {id: event_id, type, data} = event
    const all = deliveries.length
    const delivered = deliveries.filter(({status}) => status === 'DELIVERED').length
    const {reservation_ref} = data
    const row = {event_id, type, reservation_ref, deliveries: all, delivered}
    await this.print(single({event, deliveries}, row, event_id))
    const subscribe = `bookctl webhooks create --url URL --event ${type}`
    if (all === 0) this.note(`No active subscription to ${type}: ${subscribe}`)
    else if (delivered < all)
      this.note(`${all - delivered} of ${all} not delivered yet: bookctl sandbox deliveries`)
  }
}
