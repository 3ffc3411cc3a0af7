/**
 * The results of `sandbox drill`: the list of drills, which faults were injected or events sent, and the shortest part
 * of a series after which an answer was wrong.
 */
import process from 'node:process'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {marksFor, type Painter, unpainted} from '../../terminal/colour.js'
import {columnsOf, listResult, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'

interface ListedDrill {
  readonly drill: string
  /** The rule of `sandbox certify` that the drill tests. `verdict` is the verdict on that rule. */
  readonly rule: string
  /** Whether the client has come across the situation of the drill. */
  readonly shown: boolean
  readonly verdict: string
  readonly shows: string
}

export interface DrillList {
  readonly client_id: string
  readonly drills: readonly ListedDrill[]
}

export function drillList(list: DrillList): Result<ListedDrill> {
  const columns = [
    ...columnsOf<ListedDrill>(['drill', 'rule', 'shown', 'verdict']),
    ...columnsOf<ListedDrill>(['shows'], {wraps: true}),
  ]
  return {document: list, items: list.drills, columns}
}

interface SentDelivery {
  readonly delivery_id: string
  readonly event_id: string
  readonly type: string
  readonly created: string
  readonly forgery: string | null
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

interface DoneDrill {
  readonly drill: string
  readonly rule: string
  readonly shows: string
  /** The fault that was injected, or null if deliveries were sent. */
  readonly fault: {readonly operation: string} | null
  readonly deliveries: readonly SentDelivery[] | null
}

export interface DrillsDone {
  readonly client_id: string
  readonly drills: readonly DoneDrill[]
}

interface DoneRow {
  readonly drill: string
  readonly done: string
  readonly rule: string
  readonly shows: string
}

export function drillsResult(done: DrillsDone): Result<DoneRow> {
  const rows = done.drills.map(({drill, rule, shows, fault, deliveries}) => {
    const answers = (deliveries ?? []).map(({status}) => status ?? 'no answer')
    return {drill, done: fault ? 'armed' : `sent: ${answers.join(', ')}`, rule, shows}
  })
  const columns = [
    ...columnsOf<DoneRow>(['drill', 'done', 'rule']),
    ...columnsOf<DoneRow>(['shows'], {wraps: true}),
  ]
  return {document: done, items: rows, columns}
}

interface PartDelivery extends SentDelivery {
  /** Whether the event was sent at the same time as the previous one. */
  readonly overlaps: boolean
  /** Whether the same event was sent before. `older` says whether a newer event was. */
  readonly again: boolean
  readonly older: boolean
}

interface PlayedSubscription {
  readonly subscription_id: string
  readonly url: string
  /** Whether every event was answered with 2xx in time. */
  readonly ok: boolean
  /** The number of deliveries in the whole series. Playing ends with the first wrong answer. */
  readonly deliveries: number
  readonly plays: number
  /** Whether an answer was wrong again when the part was played again. Null if it was not played again. */
  readonly repeatable: boolean | null
  readonly shortest: readonly PartDelivery[]
}

export interface ChaosPlayed {
  readonly client_id: string
  readonly seed: string
  readonly subscriptions: readonly PlayedSubscription[]
}

const CHAOS_COLUMNS = [
  'subscription_id',
  'ok',
  'deliveries',
  'plays',
  'repeatable',
  'shortest',
  'url',
] as const satisfies readonly (keyof PlayedSubscription)[]

export function wasWrong({subscriptions}: ChaosPlayed): boolean {
  return subscriptions.some(({ok}) => !ok)
}

/** Returns the result. Without --format it is lines for people, even in a pipe. */
export function chaosResult(played: ChaosPlayed): Result<PlayedSubscription> {
  const {seed, subscriptions} = played
  const people = (paint: Painter, columns: number) =>
    subscriptions.flatMap(each => playedLines(seed, each, paint, columns))
  const text = `${people(unpainted, Number.POSITIVE_INFINITY).join('\n')}\n`
  return {...listResult(played, subscriptions, CHAOS_COLUMNS), people, text}
}

function playedLines(seed: string, each: PlayedSubscription, paint: Painter, columns: number): string[] {
  const marks = marksFor(process.env)
  const style = each.ok ? 'good' : 'bad'
  const what = `${each.deliveries} deliveries of seed ${seed} to ${each.url}`
  const head = hang(
    sanitizeLine(`${what}: ${each.ok ? 'all answers right' : 'an answer is wrong'}`),
    columns - 2,
    2,
  )
  const first = `${paint(style, marks[style])} ${head[0] ?? ''}`
  if (each.ok) return [first, ...head.slice(1)]
  const found = foundText(each)
  const part = each.shortest.flatMap((sent, n) => hang(`  ${n + 1}. ${partText(sent)}`, columns, 5))
  return [first, ...head.slice(1), ...hang(found, columns, 2), ...part]
}

function foundText({repeatable, plays}: PlayedSubscription): string {
  if (repeatable === true) return `The shortest part after which an answer is wrong (played ${plays} times):`
  const part = 'The part up to the first wrong answer'
  return repeatable === false ? `${part}, which was right when it was played again:` : `${part}:`
}

function partText({
  event_id,
  type,
  created,
  overlaps,
  again,
  older,
  status,
  error,
  delivery_id,
}: PartDelivery) {
  const notes = [
    ...(overlaps ? ['at the same time as the one before'] : []),
    ...(again ? ['again'] : []),
    ...(older ? ['older than one before'] : []),
  ]
  const event = [`${type} ${event_id} of ${created}`, ...notes].join(', ')
  const answer = status === null ? '' : ` ${status}`
  const wrong = error === null ? '' : ` wrong: ${error} (${delivery_id})`
  return sanitizeLine(`${event}:${answer}${wrong}`)
}
