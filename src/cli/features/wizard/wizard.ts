/**
 * The booking wizard: `reserve` at a terminal with missing values. Nothing is reserved before the user has confirmed
 * the summary.
 */
import {resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import type {Contact} from '../../../contract/reservations.js'
import {StorageError} from '../../../storage/errors.js'
import {today} from '../../input/dates.js'
import {DEFAULT_WAIT_SECONDS} from '../../input/flags.js'
import {interruption} from '../../terminal/prompts/prompts.js'
import {say} from '../../terminal/talk.js'
import {
  type Awaited,
  awaited,
  paymentNote,
  paymentStateOf,
  type WaitHooks,
  waitUntilConfirmed,
} from '../reserve/booking.js'
import type {ReserveFlags} from '../reserve/flags.js'
import type {Booked, ReservePipeline, Waited, Wizard} from '../reserve/pipeline.js'
import {refuseWithoutJournal} from '../reserve/plan.js'
import type {Typed} from '../reserve/request.js'
import {planVoucher, saveVoucher} from '../reserve/voucher.js'
import {commandOf, maximumWords, searchingLines, tellLines} from './ask-search.js'
import {book} from './book.js'
import {
  type Draft,
  type GuestForm,
  minutesLeft,
  type Place,
  readDraft,
  SearchAgain,
  type WizardDesk,
} from './draft.js'
import {chooseSeen, findOffer} from './find-offer.js'

/**
 * Runs the wizard until something is booked. Throws a usage error if the user declines, a Failure of kind `interrupted`
 * on Ctrl-C, and any Failure that no answer can resolve.
 */
export async function runWizard(desk: WizardDesk, draft: Draft): Promise<Booked> {
  const {state, target} = desk.connection
  const {offerId, reference} = draft
  if (!state.remembers)
    refuseWithoutJournal(desk.flags['idempotency-key'] !== undefined && reference !== undefined)
  if (offerId !== undefined)
    chooseSeen(draft, offerId, state.remembers ? await state.offers.find(target, offerId) : undefined)
  for (;;) {
    try {
      await findOffer(desk, draft)
      return await book(desk, draft)
    } catch (error) {
      if (!(error instanceof SearchAgain)) throw error
      desk.tell(`\n${error.message}`)
      draft.isOver = false
      draft.chosen = undefined
    }
  }
}

/** Opens a wizard that asks for the values missing in `typed`. Throws a usage error if a value is invalid. */
export async function openWizard(pipeline: ReservePipeline, typed: Typed): Promise<Wizard> {
  const {command, flags} = pipeline
  const draft = readDraft(typed)
  if (typed.offerId === undefined && draft.reference === undefined) pipeline.stop.nothingNamed()
  const connection = await command.connect()
  const desk = {
    connection,
    prompts: await command.prompts(),
    tell: tellLines,
    flags,
    pipeline,
    today: today(),
  }
  command.whenStopped(() => {
    const lines = draft.isOver ? [] : resumingLines(draft, flags)
    if (lines.length > 0) say(['', ...lines])
  })
  const {wait: seconds = DEFAULT_WAIT_SECONDS} = flags
  return {
    async book() {
      const booked = await runWizard(desk, draft)
      draft.isOver = true
      return booked
    },
    wait: (booking, learn) => accompany({...desk, learn}, booking, seconds),
  }
}

/** How long to wait for the voucher, which is produced shortly after the confirmation (§3). */
const VOUCHER_SECONDS = 30

/** What `accompany` needs. `learn` is called with each newer state of the reservation. */
type Accompanying = Pick<WizardDesk, 'prompts' | 'connection' | 'tell'> &
  Partial<Pick<WizardDesk, 'flags'>> &
  Pick<WaitHooks, 'learn'>

/** Waits for payment or confirmation as long as the user likes, then offers the voucher. */
export async function accompany(
  desk: Accompanying,
  booking: ReserveOutcome,
  seconds: number,
): Promise<Waited> {
  const awaiting = awaited(booking)
  const newest = awaiting === 'nothing' ? booking : await awaitEnd(desk, booking, awaiting, seconds)
  const {outcome, reservation_ref: reference} = newest
  const note = paymentNote(newest, desk.connection.clock.now())
  const state = [sanitizeLine(outcome, 40), note].filter(Boolean).join('; ')
  desk.tell(`\nReservation ${sanitizeLine(reference ?? 'without a reference', 64)}: ${state}.`)
  const hasVoucher = outcome === 'confirmed' && reference !== null
  return {newest, voucher: hasVoucher ? await offerVoucher(desk, reference) : undefined}
}

/**
 * Waits while a question is shown, which ends when the reservation is confirmed; Enter stops the wait. On Ctrl-C,
 * throws a Failure that says how to continue.
 */
async function awaitEnd(
  {prompts, connection, tell, learn, flags}: Accompanying,
  booking: ReserveOutcome,
  awaiting: Exclude<Awaited, 'nothing'>,
  seconds: number,
): Promise<ReserveOutcome> {
  const {clock} = connection
  const start = clock.now()
  const reference = sanitizeLine(booking.reservation_ref ?? 'the reservation', 64)
  let newest = booking
  const hooks = {
    warn: tell,
    learn: (outcome: ReserveOutcome) => {
      newest = outcome
      learn(outcome)
    },
  }
  // Is aborted with the newest state, or with the error that ended the wait.
  const ended = new AbortController()
  const again = resumeCommand(booking.client_reference_id)
  const resumeHint = [again, '--wait', ...(flags?.service ?? [])].join(' ')
  waitUntilConfirmed(connection, booking, seconds, hooks).then(
    outcome => ended.abort(outcome),
    error => ended.abort(error),
  )
  try {
    await prompts.text({
      message: `Waiting for the ${awaiting}; press Enter to stop waiting`,
      status: () => {
        const payment = paymentStateOf(newest)
        const state = `${sanitizeLine(newest.outcome, 40)}${payment ? `, payment ${payment.kind}` : ''}`
        return `Waiting for ${minutesLeft(clock.now() - start)}; ${reference} is ${state}`
      },
      signal: ended.signal,
    })
  } catch (error) {
    if (error === newest) return newest
    if (!(error instanceof Failure) || error.kind !== 'interrupted') throw error
    throw interruption(`stopped waiting for the ${awaiting}`, `continue: ${resumeHint}`)
  }
  tell(`Stopped waiting. To continue: ${resumeHint}`)
  return newest
}

/**
 * Offers to download the voucher, and returns the file if it was downloaded. If that fails, only tells the user,
 * because the reservation itself succeeded.
 */
async function offerVoucher(
  {prompts, connection, tell, flags}: Accompanying,
  reference: string,
): Promise<string | undefined> {
  const words = ['bookctl voucher download', sanitizeLine(reference, 64), ...(flags?.service ?? [])]
  const later = words.join(' ')
  try {
    if (!(await prompts.confirm({message: 'Download the voucher (PDF)?', default: true}))) return undefined
    const path = planVoucher(reference, {}) ?? ''
    const saved = await saveVoucher(connection, reference, {wait: VOUCHER_SECONDS}, path)
    tell(`Voucher: ${sanitizeLine(saved.path, 200)} (${saved.bytes} bytes)`)
    return saved.path
  } catch (error) {
    if (error instanceof Failure && error.kind === 'interrupted')
      throw interruption('stopped before the voucher was downloaded', later)
    if (!(error instanceof StorageError || error instanceof Failure)) throw error
    tell(`Could not download the voucher: ${sanitizeLine(error.message, 300)}`)
    tell(`Later: ${later}`)
    return undefined
  }
}

/**
 * Returns the commands that continue with the answers so far; empty if there are none. They include identity numbers,
 * because the user would have to type them again.
 */
export function resumingLines(draft: Draft, flags: ReserveFlags): string[] {
  const {chosen, answers, forms, contact} = draft
  if (answers.size === 0) return []
  const search = {...draft.search, 'max-price': flags['max-price']}
  const reserve = `  ${reserveCommand(draft, flags)}`
  if (!chosen) {
    const searching = searchingLines(search, flags.service)
    const knowsPeople = contact !== undefined || forms.some(form => form.name)
    return knowsPeople ? [...searching, 'Then, with the id of an offer:', reserve] : searching
  }
  const offer = ['To go on with these answers, while the offer is valid:', reserve]
  if (search.city === undefined) return offer
  return [...offer, 'To search again:', `  ${commandOf(search, flags.service)}`]
}

function reserveCommand(draft: Draft, flags: ReserveFlags): string {
  const {chosen, places = [], forms, contact, contactFields, nationality, payment, reference} = draft
  const {name, surname, email, phone_country_code, phone_number} =
    contact ?? (contactFields as Partial<Contact>)
  const given: readonly (readonly [flag: string, value: string | undefined])[] = [
    ['--nationality', nationality],
    ...places.map((place, index) => ['--guest', guestText(place, forms[index] ?? {})] as const),
    ['--contact', pairs({name, surname, email, phone_country_code, phone_number})],
    ['--pay', payment],
    ['--client-reference', reference],
    ['--idempotency-key', flags['idempotency-key']],
  ]
  const words = [
    ...given.flatMap(([flag, value]) => (value ? [flag, shellWord(value)] : [])),
    ...maximumWords(flags['max-price']),
    // A dry run stays a dry run. --yes is never repeated, because consent counts only at the moment it is given.
    ...(flags['dry-run'] ? ['--dry-run'] : []),
    ...(flags.wait === undefined ? [] : [`--wait=${flags.wait}`]),
    ...(flags.open ? ['--open'] : []),
    ...(flags.service ?? []),
  ]
  const offer = chosen ? shellWord(chosen.offerId) : 'OFFER_ID'
  return ['bookctl reserve', offer, ...words].join(' ')
}

/** Formats a guest for `--guest`. The type is always included, so that a guest without answers is asked for again. */
function guestText({type, isLead}: Place, {identity, ...form}: GuestForm): string {
  const {name, surname, birth_date, gender, nationality} = form
  const number = identity ? {'identity.type': identity.type, 'identity.number': identity.number} : {}
  const lead = isLead ? {is_lead: 'true'} : {}
  return pairs({type, name, surname, birth_date, gender, nationality, ...number, ...lead})
}

/** Formats fields in the form that `--guest` and `--contact` read. */
function pairs(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value ? `${name}=${value.replace(/[\\,]/g, '\\$&')}` : []))
    .join(',')
}
