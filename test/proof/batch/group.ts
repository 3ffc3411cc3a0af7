/** A group of trips in a file, the service that books them, and what must hold there, on the wire and on the disk. */
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {isNeverSent, isOpen, type JournalEntry} from '../../../src/contract/journal.js'
import type {Finished} from '../../support/bookctl.js'
import {ADULT, CONTACT} from '../../support/sandbox.js'
import type {Wire, WireOptions, WireRequest} from '../../support/wire.js'
import {look} from '../kills/trial.js'
import type {Bench} from '../shared/bench.js'
import {checkDatabases, isPdf, temporaryFiles} from '../shared/home.js'
import {type Own, owning} from '../shared/part.js'
import {
  CREDENTIALS,
  cents,
  findTexts,
  Home,
  type Offer,
  openScene,
  PEOPLE,
  parse,
  reservationsAt,
  Side,
} from '../shared/scene.js'
import type {StoreName} from '../shared/stores.js'
import {openService} from './service.js'

let databases = 0

export const TRIPS = 50
const FILE = 'trips.ndjson'
export const FAILED = 'failed.ndjson'
export const VOUCHERS = 'vouchers'

interface TripWanted {
  readonly reference: string
  readonly surname: string
  readonly checkIn: string
  /** Whether the file names its offer, so that no other can be booked. */
  readonly hasOffer: boolean
}

/** One trip in the result of the command. */
interface TripShown {
  readonly client_reference_id: string
  readonly outcome: string
  readonly repeated: boolean
  readonly reservation_ref: string | null
  readonly price: string | null
  readonly voucher: string | null
  readonly error: {readonly code: string; readonly message: string} | null
}

export interface Document {
  readonly batch: Readonly<Record<string, number>> & {
    readonly totals: readonly {readonly amount: string; readonly currency: string}[]
  }
  readonly trips: readonly TripShown[]
}

/** A reservation at the service. */
export interface Made {
  readonly client_reference_id: string
  readonly reservation_ref: string
  readonly check_in: string
  readonly guests: readonly {readonly surname: string}[]
  readonly payment: {readonly amount: string}
}

/** What the journal has of a reference. */
export type Kept = Pick<
  JournalEntry,
  'clientReferenceId' | 'idempotencyKey' | 'outcome' | 'attempts' | 'reservationRef'
> & {readonly hasBody: boolean}

export interface Group {
  readonly trips: readonly TripWanted[]
  readonly side: Side
  readonly wire: Wire
  readonly home: Home
  readonly storeName: StoreName
  /** Returns a machine for the next run: another one if the machines share their store and `random` says so. */
  machine(random: () => number): Home
  journal(home: Home): Promise<Kept[]>
}

export interface GroupOptions extends Pick<WireOptions, 'faultOf' | 'onExchange'> {
  /** How many trips the file has (default 50). */
  readonly count?: number
  readonly latencyMilliseconds?: number | undefined
}

/** Opens a service, a store and a machine with a file of trips: with given offers, with equal searches, with searches of their own. */
export async function openGroup(
  own: Own,
  bench: Bench,
  storeName: StoreName,
  {count = TRIPS, latencyMilliseconds, ...faults}: GroupOptions = {},
): Promise<Group> {
  const service = own(await openService({latencyMilliseconds}))
  const side = new Side(service.origin)
  const database = `batch_${++databases}`
  const server = storeName === 'files' ? undefined : await bench.postgres()
  const store: Record<string, string> = server ? {BOOKCTL_STORE: await server.url(database)} : {}
  const env = {...CREDENTIALS, ...store}
  const scene = own(await openScene(service.origin, {env, ...faults}))
  const {wire, home} = scene
  const offers = await side.offers(Math.ceil(count / 5))
  const made = Array.from({length: count}, (_, index) => tripOf(index, offers))
  const text = made.map(({record}) => `${JSON.stringify(record)}\n`).join('')
  const furnish = (machine: Home) => writeFileSync(join(machine.directory, FILE), text)
  furnish(home)
  let newest = home
  return {
    trips: made.map(({wanted}) => wanted),
    side,
    wire,
    home,
    storeName,
    machine(random) {
      if (server !== undefined && random() < 0.3) {
        newest = own(new Home(home.env))
        furnish(newest)
      }
      return newest
    },
    async journal(machine) {
      if (server === undefined) {
        const entries = await look(machine, state => state.journal.list())
        return entries.map(({body, ...entry}) => ({...entry, hasBody: body !== null}))
      }
      const sql = `SELECT client_reference_id AS "clientReferenceId", idempotency_key AS "idempotencyKey", outcome, attempts,
        reservation_ref AS "reservationRef", sealed_body IS NOT NULL AS "hasBody" FROM bookctl.reservations`
      return server.sql<Kept>(sql, [], database).catch(error => {
        // A run that was killed early has made no table.
        if (['42P01', '3F000'].includes(error.code)) return []
        throw error
      })
    },
  }
}

const letters = (index: number) => `${'abcdefghij'[Math.floor(index / 10)]}${'abcdefghij'[index % 10]}`

/** Of five trips one has an offer, one a search of its own, and three have equal searches. */
function tripOf(index: number, offers: readonly Offer[]) {
  const reference = `group-${letters(index)}`
  const surname = `Öğüt${letters(index)}`
  const kind = index % 5
  const checkIn = kind === 1 ? `2030-07-${String(1 + Math.floor(index / 5)).padStart(2, '0')}` : '2030-06-01'
  const search = {
    city: 101,
    check_in: checkIn,
    nights: 1,
    rooms: [{adults: 2, children_ages: []}],
    client_nationality: 'TR',
    currency: 'EUR',
  }
  const offer = kind === 0 ? offers[index / 5] : undefined
  const can = {...ADULT, name: 'Can', identity: {type: 'PASSPORT', number: 'U1234567'}, is_lead: false}
  const record = {
    client_reference_id: reference,
    ...(offer ? {offer_id: offer.offer_id, client_nationality: 'TR'} : {search}),
    contact: CONTACT,
    guests: [{...ADULT, surname}, can],
    payment: {mode: 'account'},
  }
  return {record, wanted: {reference, surname, checkIn, hasOffer: offer !== undefined}}
}

/** Returns the arguments that book the file. */
export const batchArgv = (...more: readonly string[]) => ['reserve', 'batch', FILE, '--json', ...more]

export const documentOf = ({stdout}: Finished): Document | undefined => {
  const document = parse(stdout)
  return Array.isArray(document?.trips) && document.batch ? document : undefined
}

/** Returns the references of reservation requests, of those given. */
export const referencesIn = (requests: readonly WireRequest[]) =>
  requests.map(({body}) => String(parse(body)?.client_reference_id))

export const madeAt = ({side}: Group): Promise<Made[]> => side.reservations()

/** Checks that no trip was booked twice, nor as another one. If `isWhole`, each must be booked. */
export function checkMade({trips}: Group, made: readonly Made[], isWhole = false): string[] {
  const wrong: string[] = []
  for (const {reference, surname, checkIn} of trips) {
    const mine = made.filter(each => each.client_reference_id === reference)
    if (mine.length > 1)
      wrong.push(`DOUBLE: ${reference} has ${mine.map(each => each.reservation_ref).join(' ')}`)
    if (mine.length === 0 && isWhole) wrong.push(`MISSING: ${reference} has no reservation`)
    for (const {guests, check_in} of mine)
      if (guests[0]?.surname !== surname || check_in !== checkIn)
        wrong.push(`${reference} is booked for ${guests[0]?.surname} on ${check_in}`)
  }
  const known = new Set(trips.map(({reference}) => reference))
  const others = made.filter(each => !known.has(each.client_reference_id))
  return [...wrong, ...others.map(each => `${each.client_reference_id} is of no trip`)]
}

/** Checks that each trip was sent under one key and in one form only. This holds where the service has refused nothing. */
export function checkForms(wire: Wire): string[] {
  const forms = new Map<string, Set<string>>()
  for (const {headers, body} of reservationsAt(wire)) {
    const reference = String(parse(body)?.client_reference_id)
    const ofReference = forms.get(reference) ?? new Set()
    forms.set(reference, ofReference.add(`${headers['idempotency-key']} ${body}`))
  }
  return [...forms].flatMap(([reference, {size}]) =>
    size > 1 ? [`${reference} was sent in ${size} forms`] : [],
  )
}

/** Checks the journal after the death of a process: what was sent is in it, and each attempt was counted before it left. */
export function checkKept(wire: Wire, journal: readonly Kept[]): string[] {
  const sent = new Map<string, number>()
  for (const {headers} of reservationsAt(wire)) {
    const key = headers['idempotency-key'] ?? ''
    sent.set(key, (sent.get(key) ?? 0) + 1)
  }
  const attempts = new Map(journal.map(entry => [entry.idempotencyKey, entry.attempts]))
  return [...sent].flatMap(([key, count]) => {
    const counted = attempts.get(key)
    if (counted === undefined) return [`the key ${key} was sent and is not in the journal`]
    return counted < count ? [`sent ${count} times, and ${counted} attempts of ${key} are counted`] : []
  })
}

/** What was known before the last run. */
interface Known {
  /** The references that the service had booked. */
  readonly made: ReadonlySet<string>
  /** The references of which the journal has an attempt. */
  readonly tried: ReadonlySet<string>
}

async function knownIn(group: Group, home: Home): Promise<Known> {
  const made = (await madeAt(group)).map(each => each.client_reference_id)
  const tried = (await group.journal(home)).filter(entry => !isNeverSent(entry))
  return {made: new Set(made), tried: new Set(tried.map(entry => entry.clientReferenceId))}
}

/** Books what is left. Returns that run, and what is wrong with its result. */
export async function runToEnd(group: Group, home: Home, argv: readonly string[]) {
  const known = await knownIn(group, home)
  const last = await home.run(argv)
  return {last, wrong: await checkEnd(group, home, last, known)}
}

/** Checks the result of the run that books what is left, and what it leaves everywhere. */
async function checkEnd(group: Group, home: Home, last: Finished, known: Known): Promise<string[]> {
  const made = await madeAt(group)
  const wrong = checkMade(group, made, true)
  if (last.exit !== 0) wrong.push(`the last run ends with ${last.exit}`)
  const document = documentOf(last)
  if (document === undefined) wrong.push('the last run prints no result')
  else wrong.push(...checkDocument(group, document, made, known))
  const journal = await group.journal(home)
  for (const entry of journal)
    if (isOpen(entry) || entry.hasBody)
      wrong.push(`the journal has ${entry.clientReferenceId} as ${entry.outcome}, body: ${entry.hasBody}`)
  const refs = new Set(journal.map(({reservationRef}) => reservationRef))
  const lost = made.filter(({reservation_ref}) => !refs.has(reservation_ref))
  wrong.push(...lost.map(each => `the journal does not have ${each.reservation_ref}`))
  const allowed = new RegExp(`^(trips|failed)\\.ndjson$|^${VOUCHERS}/`)
  wrong.push(...findTexts(home.directory, PEOPLE, allowed))
  return [...wrong, ...checkDatabases(home), ...temporaryFiles(home)]
}

function checkDocument({trips}: Group, document: Document, made: readonly Made[], known: Known): string[] {
  const {batch} = document
  const counts = {
    trips: trips.length,
    confirmed: trips.length,
    pending: 0,
    refused: 0,
    unknown: 0,
    not_sent: 0,
  }
  const wrong = Object.entries(counts).flatMap(([name, count]) =>
    batch[name] === count ? [] : [`${name} is ${batch[name]}, not ${count}`],
  )
  const sum = (amounts: readonly unknown[]) => amounts.map(cents).reduce((total, amount) => total + amount, 0)
  const total = sum(batch.totals.map(({amount}) => amount))
  const paid = sum(made.map(({payment}) => payment.amount))
  if (total !== paid) wrong.push(`the totals are ${total} cents, and ${paid} were paid`)
  const repeated = document.trips.filter(trip => trip.repeated).length
  if (batch.repeated !== repeated) wrong.push(`repeated is ${batch.repeated}, and ${repeated} trips are`)
  for (const {reference} of trips) {
    const shown = document.trips.filter(trip => trip.client_reference_id === reference)
    const mine = made.find(each => each.client_reference_id === reference)
    const [trip] = shown
    if (trip === undefined || shown.length > 1) wrong.push(`${reference} is shown ${shown.length} times`)
    else if (trip.reservation_ref !== mine?.reservation_ref)
      wrong.push(`${reference} is shown as ${trip.reservation_ref}, and is ${mine?.reservation_ref}`)
    else if (
      trip.outcome !== 'confirmed' ||
      trip.error !== null ||
      cents(trip.price) !== cents(mine?.payment.amount)
    )
      wrong.push(`${reference} is shown as ${JSON.stringify(trip)}`)
    // A trip that was tried may or may not have reached the service.
    else if (known.made.has(reference) ? !trip.repeated : trip.repeated && !known.tried.has(reference))
      wrong.push(
        `${reference} was made before: ${known.made.has(reference)}, and repeated is ${trip.repeated}`,
      )
  }
  return wrong
}

/** Checks that a result says of no trip what is not true at the service. It may call any trip unknown. */
export function checkShown({trips}: Group, document: Document, made: readonly Made[]): string[] {
  const refs = new Map(made.map(each => [each.client_reference_id, each.reservation_ref]))
  return trips.flatMap(({reference}) => {
    const trip = document.trips.find(each => each.client_reference_id === reference)
    if (trip === undefined) return [`${reference} is not in the result`]
    const ref = refs.get(reference)
    if (trip.outcome === 'unknown') return []
    const isTrue =
      trip.outcome === 'confirmed' ? ref !== undefined && ref === trip.reservation_ref : ref === undefined
    return isTrue ? [] : [`${reference} is shown as ${trip.outcome} ${trip.reservation_ref}, and is ${ref}`]
  })
}

/** Checks that the counts of a result are those of its trips. */
export function checkDocumentCounts({batch, trips}: Document): string[] {
  const outcomes = ['confirmed', 'pending', 'refused', 'unknown', 'not_sent']
  return outcomes.flatMap(outcome => {
    const count = trips.filter(trip => trip.outcome === outcome).length
    return batch[outcome] === count ? [] : [`${outcome} is ${batch[outcome]}, and ${count} trips are`]
  })
}

/** Checks that the voucher of each trip is a whole PDF. */
export function checkVouchers(home: Home, {trips}: Document): string[] {
  return trips.flatMap(({client_reference_id: reference, voucher}) => {
    const path = voucher === null ? undefined : join(home.directory, voucher)
    if (path === undefined || !existsSync(path)) return [`${reference} has no voucher: ${voucher}`]
    return isPdf(readFileSync(path)) ? [] : [`${voucher} is not a whole PDF`]
  })
}

/** Runs `work` so many times, each time with resources of its own. Returns the sum of the counts, and what was wrong. */
export async function inTrials(
  trials: number,
  work: (own: Own, n: number) => Promise<{readonly count: number; readonly wrong: readonly string[]}>,
) {
  let count = 0
  const wrong: string[] = []
  for (let n = 1; n <= trials; n++) {
    const found = await owning(own => work(own, n))
    count += found.count
    if (found.wrong.length > 0) wrong.push(`group ${n}`, ...found.wrong)
  }
  return {count, wrong}
}
