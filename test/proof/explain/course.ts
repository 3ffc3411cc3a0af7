/**
 * A random course of one reservation, with the faults that are planted in it, and what an explanation must name because of them.
 * It shares no code with src/. All choices follow from the seed.
 */

export const TYPES = [
  'reservation.confirmed',
  'reservation.cancelled',
  'reservation.updated',
  'payment.captured',
  'payment.failed',
  'voucher.ready',
] as const

type Type = (typeof TYPES)[number]

/**
 * What happens to the deliveries of a type: all arrive; the first attempt fails; all fail; all are refused as if the secret were
 * wrong.
 */
export type Fate = 'arrives' | 'late' | 'lost' | 'refused'

/** How the request to book goes. `again` says that its outcome is found out afterwards. */
type Attempt =
  | 'clean'
  | 'answer lost once'
  | 'answers lost'
  | 'answers lost, again'
  | 'requests lost'
  | 'killed'
  | 'killed, again'
  | 'refused for its price'
  | 'booked at another price'

export interface Course {
  readonly seed: number
  readonly pay: 'account' | 'instant'
  readonly currency: 'EUR' | 'USD'
  readonly attempt: Attempt
  readonly payment: 'paid' | 'declined, then paid' | 'awaited' | 'expired'
  readonly next: 'nothing' | 'cancelled' | 'cancelled and booked again' | 'booked twice' | 'changed'
  /** What the service answers wrongly about it afterwards. */
  readonly service: 'right' | 'does not have it' | 'has no voucher'
  readonly isSubscribed: boolean
  readonly fates: Readonly<Partial<Record<Type, Fate>>>
  /** Whether the service's time passes until it gives up what did not arrive. */
  readonly isGivenUp: boolean
  readonly isForwardGivenUp: boolean
  /** By which of its names it is asked about. */
  readonly subject: 'reservation' | 'client reference' | 'offer' | 'event' | 'request'
}

/** Returns a function that returns numbers from 0 to 1, the same for each seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function courseOf(seed: number): Course {
  const random = randomOf(seed)
  const oneOf = <T>(first: T, ...others: T[]): T => {
    const all = [first, ...others]
    return all[Math.floor(random() * all.length)] ?? first
  }
  const chance = (share: number) => random() < share
  const attempt = chance(0.5)
    ? 'clean'
    : oneOf<Attempt>(
        'answer lost once',
        'answers lost',
        'answers lost, again',
        'requests lost',
        'killed',
        'killed, again',
        'refused for its price',
        'booked at another price',
      )
  const pay = oneOf<Course['pay']>('account', 'instant')
  const isSubscribed = chance(0.85)
  const fates: Partial<Record<Type, Fate>> = {}
  for (const type of TYPES) if (chance(0.25)) fates[type] = oneOf<Fate>('late', 'lost', 'refused')
  const drawn: Course = {
    seed,
    pay,
    currency: oneOf('EUR', 'EUR', 'USD'),
    attempt,
    payment: oneOf('paid', 'paid', 'declined, then paid', 'awaited', 'expired'),
    next: oneOf('nothing', 'nothing', 'cancelled', 'cancelled and booked again', 'booked twice', 'changed'),
    service: chance(0.8) ? 'right' : oneOf('does not have it', 'has no voucher'),
    isSubscribed,
    fates: isSubscribed ? fates : {},
    isGivenUp: chance(0.5),
    isForwardGivenUp: chance(0.15),
    subject: oneOf('reservation', 'client reference', 'offer', 'event', 'request'),
  }
  return drawn
}

/** Whether the service makes the reservation. */
export const isMade = ({attempt}: Course) =>
  attempt !== 'requests lost' && attempt !== 'refused for its price'
/** Whether this machine learns how the attempt ended. */
export const isKnown = ({attempt}: Course) => !['answers lost', 'requests lost', 'killed'].includes(attempt)
/** Only a reservation that is known here can be changed or cancelled by the commands. */
const follows = (course: Course) => isMade(course) && isKnown(course)

interface Events {
  /** The types that the reservation causes, in order. */
  readonly types: readonly Type[]
  readonly isConfirmed: boolean
  readonly isEnded: boolean
}

/** Returns what the reservation causes. */
function eventsOf(course: Course): Events {
  if (!isMade(course)) return {types: [], isConfirmed: false, isEnded: false}
  const types: Type[] = []
  const {pay, payment, next, isGivenUp} = course
  const isPaid = pay === 'account' || payment === 'paid' || payment === 'declined, then paid'
  if (pay === 'instant' && payment === 'declined, then paid') types.push('payment.failed')
  if (pay === 'instant' && isPaid) types.push('payment.captured')
  if (isPaid) types.push('reservation.confirmed', 'voucher.ready')
  const isCancelled = follows(course) && next.startsWith('cancelled')
  const hasExpired = !isPaid && (payment === 'expired' || isGivenUp)
  if (isCancelled || hasExpired) types.push('reservation.cancelled')
  // A reservation whose time to pay is over cannot be changed.
  if (follows(course) && next === 'changed' && !(payment === 'expired' && !isPaid))
    types.push('reservation.updated')
  const isEnded = isCancelled || hasExpired
  return {types, isConfirmed: isPaid && !isEnded, isEnded}
}

/** The codes of the findings that the course must lead to. */
export interface Expected {
  readonly problems: readonly string[]
  readonly notices: readonly string[]
}

export function expectedOf(course: Course): Expected {
  const {attempt, next, service, isSubscribed, fates, isGivenUp, isForwardGivenUp, currency, pay} = course
  const {types, isConfirmed, isEnded} = eventsOf(course)
  const problems = new Set<string>()
  const notices = new Set<string>()
  if (!isKnown(course)) problems.add('outcome_unknown')
  if (attempt === 'refused for its price' || attempt === 'booked at another price')
    problems.add('price_changed')
  if (isMade(course)) {
    const isAbsent = service === 'does not have it' && isKnown(course)
    if (isAbsent) problems.add('not_found_there')
    if (service === 'has no voucher' && isConfirmed) problems.add('voucher_missing')
    // The second booking is never paid, so an instant one ends when time passes.
    const isOtherAlive = pay === 'account' || !isGivenUp
    if (next === 'booked twice' && follows(course) && !isEnded && isOtherAlive) problems.add('likely_double')
    if (isEnded) notices.add('cancelled')
    if (currency === 'USD' && pay === 'account') notices.add('charged_in_other_currency')
    // Whether a change causes an event depends on what was changed, so none is expected with certainty.
    const isDue = types.some(type => type !== 'reservation.updated')
    // The subscription is passive then, so nothing is sent that was subscribed.
    if (!isSubscribed && isDue) problems.add('event_missing')
  }
  if (isSubscribed)
    for (const type of types) {
      const fate = fates[type] ?? 'arrives'
      if (fate === 'refused') problems.add('event_refused')
      if (fate === 'lost' && isGivenUp) problems.add('event_missing')
      if ((fate === 'lost' || fate === 'late') && !isGivenUp) notices.add('delivery_pending')
      const arrives = fate === 'arrives' || (fate === 'late' && isGivenUp)
      if (arrives && isForwardGivenUp) problems.add('forward_given_up')
    }
  return {problems: [...problems].sort(), notices: [...notices].sort()}
}
