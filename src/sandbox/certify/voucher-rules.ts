/** Rules about what follows a booking: the wait for the payment, the voucher, the cancellation (§2.6, §3). */
import {VOUCHER_LINK_VALIDITY_SECONDS} from '../../contract/limits.js'
import {isSuccess} from '../../contract/operations.js'
import {counted} from '../base/wording.js'
import type {Evidence, SeenRequest} from './evidence.js'
import {countedExpiries, finding, groupBy, inOrder, movesOf, type Rule, rowsOf, workersOf} from './rule.js'

const MOST_ASKED = 3
/** A timer of one second may fire a little early. */
const PAUSE_SECONDS = 0.95

function judgeWaits({requests}: Evidence) {
  const asked = requests.filter(
    ({operation, code, fault}) =>
      operation === 'voucher.show' && code === 'reservation_not_confirmed' && fault === null,
  )
  const workers = workersOf(requests)
  const groups = groupBy(asked, ({facts, token}) => `${facts.reservation} ${token}`)
  const rows = [...groups.values()].flatMap(same => rowsOf(same, workers))
  const failures = rows.flatMap(hasty)
  return finding(asked.length, inOrder(failures), {
    broken: count =>
      `a voucher was asked for before CONFIRMED without a pause of a second: ${counted(count, 'request')}`,
    kept: `${counted(asked.length, 'voucher')} asked for before CONFIRMED, with pauses`,
    unseen: 'no voucher was asked for before CONFIRMED',
  })
}

/** Returns the requests of each run that is too long. A pause ends a run. */
function hasty(asked: readonly SeenRequest[]): SeenRequest[] {
  const found: SeenRequest[] = []
  let run: SeenRequest[] = []
  for (const request of [...asked, undefined]) {
    const last = run.at(-1)
    const pause = last && request ? Math.max((request.begun - last.begun) / 1000, request.at - last.at) : 0
    if (request === undefined || pause >= PAUSE_SECONDS) {
      if (run.length > MOST_ASKED) found.push(...run)
      run = []
    }
    if (request) run.push(request)
  }
  return found
}

function judgeLink({requests}: Evidence) {
  const fetched = requests.filter(({operation}) => operation === 'voucher.download')
  const expired = fetched.filter(
    ({status, fault, at, facts}) => status === 410 && fault === null && (facts.expiresAt ?? at + 1) <= at,
  )
  const links = groupBy(expired, ({facts}) => `${facts.reservation} ${facts.expiresAt}`)
  const movedAt = movesOf(requests)
  const late = [...links.values()].flatMap(same =>
    countedExpiries(same, same, VOUCHER_LINK_VALIDITY_SECONDS, movedAt, workersOf(requests)),
  )
  const authorized = fetched.filter(({facts}) => facts.isAuthorized)
  return finding(fetched.length, inOrder([...authorized, ...late]), {
    broken: count =>
      `a voucher link was fetched with Authorization, or after its hour: ${counted(count, 'time')}`,
    kept: `${counted(fetched.length, 'voucher link')} fetched without Authorization and in time`,
    unseen: 'no voucher link was fetched',
  })
}

/** Operations whose answer has the fee of a reservation, or the policy that it follows from. */
const SHOWS_FEE = ['reservations.quote', 'reservations.show']

function judgeFee({requests}: Evidence) {
  const read = new Set<string | undefined>()
  const offers = new Map<string, string | undefined>()
  let lastList = Number.POSITIVE_INFINITY
  let charged = 0
  const failures: SeenRequest[] = []
  for (const request of requests) {
    const {operation, facts, begun, ended} = request
    if (!isSuccess(request)) continue
    if (operation === 'reservations.create' && facts.reservation) offers.set(facts.reservation, facts.offer)
    if (SHOWS_FEE.includes(operation ?? '')) read.add(facts.reservation)
    if (operation === 'hotels.price') read.add(facts.offer)
    if (operation === 'reservations.list' && !facts.isEmpty) lastList = Math.min(lastList, ended)
    if (operation !== 'reservations.cancel' || !(Number(facts.fee) > 0)) continue
    charged += 1
    const offer = offers.get(facts.reservation ?? '')
    const hasRead =
      read.has(facts.reservation) || (offer !== undefined && read.has(offer)) || lastList <= begun
    if (!hasRead) failures.push(request)
  }
  return finding(charged, failures, {
    broken: count => `${counted(count, 'booking')} cancelled for a fee that had not been read`,
    kept: `${counted(charged, 'booking')} cancelled for a fee, which had been read`,
    unseen: 'nothing was cancelled for a fee',
  })
}

export const VOUCHER_RULES: readonly Rule[] = [
  {
    id: 'payment.waits',
    section: '§3',
    required: true,
    advice: 'Wait for reservation.confirmed, or ask for the voucher once a second at most.',
    judge: judgeWaits,
  },
  {
    id: 'voucher.link',
    section: '§2.6',
    required: true,
    advice:
      'Fetch a voucher link without an Authorization header and within its hour; later ask for a new link.',
    judge: judgeLink,
  },
  {
    id: 'cancel.fee',
    section: null,
    required: false,
    advice: 'Read the fee, or the reservation with its policies, before you cancel.',
    judge: judgeFee,
  },
]
