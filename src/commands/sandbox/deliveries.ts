import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {identifierFlag} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {type Column, columnsOf} from '../../cli/terminal/result.js'

type Delivery = Record<string, unknown>

const COLUMNS: readonly Column<Delivery>[] = [
  ...columnsOf<Delivery>(['delivery_id'], {isMinor: true}),
  ...columnsOf<Delivery>(['subscription_id', 'event_id', 'type', 'status']),
  ...columnsOf<Delivery>(['next_attempt_at'], {isMinor: true}),
  {name: 'attempts', value: delivery => attemptsOf(delivery).length, isMinor: true},
  {name: 'last_status', value: delivery => attemptsOf(delivery).at(-1)?.status ?? null},
  {name: 'last_error', value: delivery => attemptsOf(delivery).at(-1)?.error ?? null, isMain: true},
  ...columnsOf<Delivery>(['reservation_ref']),
]

const MOST_DELIVERIES = 5000

// In a pipe, scripts choose columns by their place, so a new one comes last.
const SHOWN = [
  'delivery_id',
  'type',
  'status',
  'attempts',
  'last_status',
  'last_error',
  'next_attempt_at',
  'reservation_ref',
]

function attemptsOf(delivery: Delivery): Record<string, unknown>[] {
  return Array.isArray(delivery.attempts) ? delivery.attempts : []
}

export default class SandboxDeliveries extends SandboxCommand {
  static override summary = "List the local sandbox's deliveries of events, with every attempt"
  static override description =
    `A pending delivery is sent when it falls due: bookctl sandbox clock --advance 1m. --redeliver sends one delivery again now
and shows it.`
  static override examples = [
    'bookctl sandbox deliveries',
    'bookctl sandbox deliveries --json',
    'bookctl sandbox deliveries --reservation RSV-…',
  ]
  static override columns = COLUMNS.map(({name}) => name)
  static override candidates = {reservation: 'references'} as const
  static override flags = {
    reservation: identifierFlag('reservation_ref')({
      helpValue: 'REF',
      summary: 'only deliveries of events about this reservation',
      exclusive: ['redeliver'],
    }),
    limit: Flags.integer({
      helpValue: 'N',
      min: 1,
      max: MOST_DELIVERIES,
      default: 1000,
      summary: `maximum number of deliveries, newest first, up to ${MOST_DELIVERIES}`,
      exclusive: ['redeliver'],
    }),
    redeliver: identifierFlag('delivery_id')({
      helpValue: 'DELIVERY_ID',
      summary: 'send this delivery again now',
    }),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxDeliveries)
    const {redeliver: id, limit, reservation} = flags
    const filter = reservation === undefined ? '' : `&reservation_ref=${encodeURIComponent(reservation)}`
    // Requests one more than is shown, to know whether there are older ones.
    const answer = await (id === undefined
      ? this.control(`/deliveries?limit=${limit + 1}${filter}`)
      : this.control(`/deliveries/${id}/redeliver`, {body: {}}))
    if (!answer) return
    const found = (answer.data ?? [answer]) as Delivery[]
    const deliveries = found.slice(-limit)
    const whenEmpty = reservation === undefined ? 'No deliveries yet.' : `No deliveries for ${reservation}.`
    await this.print({document: {deliveries}, items: deliveries, columns: COLUMNS, shown: SHOWN, whenEmpty})
    if (found.length > limit) this.tell(`There are older deliveries: --limit N, up to ${MOST_DELIVERIES}`)
  }
}
