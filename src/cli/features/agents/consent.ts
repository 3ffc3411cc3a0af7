/** The consent of a person to what an agent has prepared: what the person reads, and how the decision is asked for and stored. */
import {createRedactor} from '../../../api/redact/redact.js'
import {
  type AgentHandle,
  type DecidedBy,
  type Decision,
  type HandleStore,
  handleNotValid,
  type Prepared,
} from '../../../contract/agent-handles.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import type {Guest, ReservationRequest} from '../../../contract/reservations.js'
import type {State} from '../../../state/state.js'
import type {Target} from '../../session/resolve.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import type {Row} from '../catalogue/offer-lines.js'
import {chargeAhead, cityOf, contactText, describePlan} from '../reserve/plan.js'

/** What a person is asked. All texts are sanitised. */
export interface Question {
  readonly title: string
  /** What is booked or cancelled, a fact a line. */
  readonly lines: readonly string[]
  readonly handle: string
  /** Unix seconds. */
  readonly expiresAt: number
}

/**
 * A person's reply. `closed`: the question was closed without a decision. `cannot_ask`: the agent's program cannot ask a person.
 */
export type Reply = 'approved' | 'declined' | 'closed' | 'cannot_ask'

/**
 * Asks the person who uses the agent's program. `approveCommand` is the command line that approves it at a terminal. If it throws,
 * nothing is decided, and the error reaches the caller as it is.
 */
export type Ask = (question: Question, approveCommand: string) => Promise<Reply>

/** The service, and what this machine has stored of it. */
interface Service {
  readonly state: State
  readonly target: Target
}

/** Returns what the person is asked about a handle, whichever way the question is put: what it costs first, and each line cut. */
export async function questionOf(
  about: Pick<AgentHandle, 'handle' | 'program' | 'expiresAt'>,
  prepared: Prepared,
  service: Service,
): Promise<Question> {
  const {clientSecret, token = ''} = service.target
  const {known} = createRedactor([clientSecret, token])
  const {title, lines, ...rest} = await wholeQuestion(about, withoutSecrets(prepared, known), service)
  const shown = lines.map(line => sanitizeLine(known(line), LONGER.test(line) ? MOST_LONGER : MOST_LINE))
  return {
    ...rest,
    title: known(title),
    lines: [...shown.filter(line => COSTS.test(line)), ...shown.filter(line => !COSTS.test(line))],
  }
}

/** The lines that say what it costs. No text of others can push them out of sight. */
const COSTS = /^(?:Price|Not checked|Charged|Fee now|Refund) /
const MOST_LINE = 120
/** All guests are shown, and what is doubtful. */
const LONGER = /^(?:Guests |Warning: )/
const MOST_LONGER = 500

/** Redacts what the service wrote before it is cut, so that no part of a secret remains. */
function withoutSecrets(prepared: Prepared, known: (text: string) => string): Prepared {
  if (prepared.kind === 'cancellation') return prepared
  const redacted = (_: string, value: unknown) => (typeof value === 'string' ? known(value) : value)
  return {...prepared, offer: JSON.parse(JSON.stringify(prepared.offer), redacted)}
}

async function wholeQuestion(
  {handle, program, expiresAt}: Pick<AgentHandle, 'handle' | 'program' | 'expiresAt'>,
  prepared: Prepared,
  {state, target}: Service,
): Promise<Question> {
  const asked = `${'Asked by'.padEnd(13)} ${sanitizeLine(program, 100)}`
  const mode = target.mode === 'live' ? 'LIVE, with real money' : 'TEST'
  if (prepared.kind === 'cancellation') {
    const fee = sanitizeLine(
      moneyText({amount: prepared.fee.price, currency: prepared.fee.currency}) ?? '',
      40,
    )
    const title = `Cancel ${sanitizeLine(prepared.reservationRef, 128)} for a fee of ${fee} (${mode})?`
    return {title, lines: [...prepared.lines, asked], handle, expiresAt}
  }
  const {intent, offer, doubts, priceChecked} = prepared
  const request = JSON.parse(intent.body) as ReservationRequest
  const charge = await chargeAhead(
    {request, seen: {...offer, used_by_reference: null}},
    async () => undefined,
  )
  const {price = '', currency = null} = intent.agreed ?? {}
  const cost = sanitizeLine(moneyText({amount: price, currency}) ?? '', 40)
  const charged = charge ? `, ${sanitizeLine(charge.short, 100)}` : ''
  const warnings = doubts.map(doubt => `Warning: ${sanitizeLine(doubt, 300)}`)
  const city = cityOf(offer, {state, target})
  const plan = describePlan({request, intent, seen: offer}, target, {charge, city, people: peopleOf(request)})
  const unchecked = priceChecked ? [] : [UNCHECKED]
  const lines = [...plan, ...unchecked, asked, ...warnings]
  return {title: `Reserve this for ${cost}${charged} (${mode})?`, lines, handle, expiresAt}
}

const UNCHECKED = `${'Not checked'.padEnd(13)} the price is that of the search: the service has no way to ask for it now`

/** Returns what the person should notice of the people, but not their documents. */
function peopleOf({guests, contact}: ReservationRequest): Row[] {
  const guestText = ({name, surname, type, birth_date, is_lead}: Guest) => {
    const born = birth_date === undefined ? 'birth date not given' : `born ${birth_date}`
    return `${name} ${surname}${is_lead ? ' (lead)' : ''}, ${type.toLowerCase()}, ${born}`
  }
  const rows = guests.map((guest, index): Row => [index === 0 ? 'Guests' : '', guestText(guest)])
  return [...rows, ['Contact', contactText(contact)]]
}

/** How a decision is obtained for a handle. */
export interface ApprovalChannel extends Service {
  readonly handles: HandleStore
  /** `none` needs no decision; only test credentials may use it. */
  readonly consent: 'ask' | 'none'
  readonly ask: Ask
  /** The command line that approves a handle at a terminal. */
  readonly approveCommand: (handle: string) => string
  /** Unix seconds. */
  readonly now: () => number
}

/** Throws the Failure for a decision that forbids what was prepared; `waiting` and `approved` pass. */
export function requireAlive({handle, decision}: Pick<AgentHandle, 'handle' | 'decision'>): void {
  if (decision === 'declined')
    throw usage(
      'declined',
      `a person declined ${handle}; nothing was sent, and it cannot be used any more`,
      'ask the person what they want instead, and prepare that',
    )
  if (decision === 'void') throw risen(handle, 'the price or the fee has risen since it was prepared')
}

/** Returns the Failure for a handle whose price or fee has risen. `why` says how much. */
export function risen(handle: string, why: string): Failure {
  const message = `${why}; nothing was sent, and ${handle} cannot be used any more`
  return usage('price_rose', message, 'prepare it again, at the new price')
}

/**
 * Returns when a person agrees to what `found` stands for, and stores the decision first. A stored decision is not asked for again.
 * Returns whether a question was asked. Throws a usage error: `declined`, `approval_closed` if the question was closed, which
 * leaves the handle as it was, or `approval_needed` if nobody can be asked here.
 */
export async function requireApproval(
  found: AgentHandle,
  prepared: Prepared,
  channel: ApprovalChannel,
): Promise<boolean> {
  const {handles, consent, ask, approveCommand, now} = channel
  const {handle, expiresAt} = found
  requireAlive(found)
  if (found.decision === 'approved' || consent === 'none') return false
  const question = await questionOf(found, prepared, channel)
  const command = approveCommand(handle)
  const reply = await ask(question, command)
  const until = isoTime(expiresAt)
  if (reply === 'approved' || reply === 'declined') {
    requireAlive(await decide(handles, handle, reply, {by: 'elicitation', now: now()}))
    return true
  }
  // Another program or a terminal may have decided meanwhile.
  const newest = await handles.find(handle, now())
  if (newest && newest.decision !== 'waiting') {
    requireAlive(newest)
    return true
  }
  const details = {result: {handle, expires_at: until, approve: command}}
  if (reply === 'closed') {
    const message = `the question was closed without an answer; nothing was sent, and the handle is valid until ${until}`
    const hint = 'ask the person whether they want it, and call this again with the same handle'
    throw new Failure('usage', message, {code: 'approval_closed', hint, ...details})
  }
  const message = `it waits until a person approves it, at the latest at ${until}; nothing was sent`
  const hint = `a person runs, at a terminal: ${command}; then call this again with the same handle`
  throw new Failure('usage', message, {code: 'approval_needed', hint, ...details})
}

/** Returns the usage error `approval_needed` for a call while the person is asked already, because of another call. */
export function alreadyAsked({handle, expiresAt}: Question, approveCommand: string): Failure {
  const until = isoTime(expiresAt)
  const message = `a person is being asked already, because of another call of this handle, and can answer until ${until}; nothing was sent`
  const hint = `once the person has answered, call this again with the same handle; if no question is shown, a person runs, at a terminal: ${approveCommand}`
  const result = {handle, expires_at: until, approve: approveCommand}
  return new Failure('usage', message, {code: 'approval_needed', hint, result})
}

/** Stores a decision, and returns the handle with the decision that stands. Throws a usage error if it is no longer valid. */
export async function decide(
  handles: HandleStore,
  handle: string,
  decision: Exclude<Decision, 'waiting'>,
  {by, now}: {readonly by: DecidedBy; readonly now: number},
): Promise<AgentHandle> {
  const decided = await handles.decide(handle, decision, by, now)
  if (decided === undefined) throw handleNotValid()
  return decided
}

/** Returns the command line that approves a handle, with the flags that lead to the same service and client. */
export function approveCommandOf(handle: string, {profile}: Target, serviceFlags: readonly string[]): string {
  const isNamed = serviceFlags.some(flag => flag.startsWith('--profile '))
  const named = profile === null || isNamed ? [] : [`--profile ${shellWord(profile)}`]
  return ['bookctl mcp approve', handle, ...named, ...serviceFlags].join(' ')
}
