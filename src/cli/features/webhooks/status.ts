/**
 * Implements `webhooks status`: which listeners run, whether they can acknowledge events, and what the event store
 * knows about the last hour.
 */
import {statfsSync} from 'node:fs'
import {hostname} from 'node:os'
import process from 'node:process'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import type {EventKeeper, StoredListener, StoreOverview} from '../../../contract/stored-events.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {fateOf, type OwnerFate} from '../../../storage/temporary.js'
import {targetLabel} from '../../../webhooks/forward/routes.js'
import {REPORT_MILLISECONDS} from '../../../webhooks/observe/heartbeat.js'
import {marksFor} from '../../terminal/colour.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'

/** Number of seconds after which a silent listener counts as unable to write to its store. */
const MOST_SILENT_SECONDS = (4 * REPORT_MILLISECONDS) / 1000
/** Number of seconds after which a silent listener of another machine counts as gone. */
const GONE_SECONDS = 60
/** A forward that has waited longer is a problem. */
const MOST_PENDING_SECONDS = 3600
const LEAST_FREE_BYTES = 512 * 1024 ** 2

interface Listener {
  readonly pid: number
  readonly host: string
  readonly since: string
  readonly url: string
  readonly admin_url: string | null
  readonly targets: readonly string[]
  readonly alive: boolean
  /** Whether the listener can acknowledge events, according to its last report. */
  readonly acknowledges: boolean
  readonly profile: string
  readonly last_seen_at: string
}

export interface ReceiverStatus {
  readonly healthy: boolean
  readonly listeners: readonly Listener[]
  readonly last_event_at: string | null
  readonly last_hour: Readonly<Record<string, number>>
  readonly refused_last_hour: Readonly<Record<string, number>>
  /** The numbers are null if the store cannot be read. */
  readonly forwards: Readonly<
    Record<'pending' | 'oldest_pending_seconds' | 'given_up_last_day', number | null>
  >
  readonly stored_bytes: number | null
  readonly warnings: readonly string[]
}

export const LISTENER_COLUMNS = ['pid', 'host', 'since', 'url', 'admin_url', 'targets', 'alive'] as const

/**
 * Reads the status from the event store. If the store cannot be read, the status is not healthy. Throws a usage error
 * for an invalid address of a shared store.
 */
export async function readStatus(state: State): Promise<ReceiverStatus> {
  try {
    const overview = await (await state.events()).overview()
    const warnings = state.isShared ? [] : diskWarnings(state.directory)
    return statusOf(overview, {now: systemClock.now(), fateOf: owner => fateOf(owner, ''), warnings})
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return {
      healthy: false,
      listeners: [],
      last_event_at: null,
      last_hour: {},
      refused_last_hour: {},
      forwards: {pending: null, oldest_pending_seconds: null, given_up_last_day: null},
      stored_bytes: null,
      warnings: [`the store of events cannot be read: ${error.message}`],
    }
  }
}

/** What this machine adds to the overview of the store. */
interface HostFacts {
  /** In Unix seconds. */
  readonly now: number
  /** Returns whether the process of this owner runs. */
  readonly fateOf: (owner: string) => OwnerFate
  /** Warnings about other limits, such as disk space. */
  readonly warnings: readonly string[]
}

/** Returns the status that follows from what the store knows. */
export function statusOf(overview: StoreOverview, host: HostFacts): ReceiverStatus {
  const {oldestPendingSeconds, lastEventAt, pending, givenUpLastDay} = overview
  const listeners = overview.listeners.map(listener => shown(listener, host))
  const isLate = (oldestPendingSeconds ?? 0) > MOST_PENDING_SECONDS
  const works = listeners.some(({alive, acknowledges}) => alive && acknowledges)
  const warnings = overview.listeners.flatMap((stored, n) => warningsOf(stored, listeners[n] as Listener))
  warnings.push(...targetWarnings(overview, listeners))
  if (listeners.length === 0) warnings.push('no listener runs: start one with bookctl webhooks listen')
  if (isLate) {
    const age = durationText(oldestPendingSeconds ?? 0)
    warnings.push(`${counted(pending, 'forward is', 'forwards are')} pending, the oldest for ${age}`)
  }
  if (givenUpLastDay > 0) {
    const what = counted(givenUpLastDay, 'forward was', 'forwards were')
    warnings.push(`${what} given up in the last day; send them again: bookctl webhooks events replay`)
  }
  return {
    healthy: works && !isLate,
    listeners,
    last_event_at: lastEventAt === null ? null : isoTime(lastEventAt),
    last_hour: overview.lastHour,
    refused_last_hour: overview.refusedLastHour,
    forwards: {
      pending,
      oldest_pending_seconds: oldestPendingSeconds === null ? null : Math.round(oldestPendingSeconds),
      given_up_last_day: givenUpLastDay,
    },
    stored_bytes: overview.storedBytes,
    warnings: [...warnings, ...host.warnings],
  }
}

function shown(listener: StoredListener, {now, fateOf: fateNow}: HostFacts): Listener {
  const {pid, host, since, url, adminUrl, targets, owner, profile, silentSeconds, problems} = listener
  const fate = fateNow(owner)
  const alive = fate === 'running' || (fate === 'elsewhere' && silentSeconds < GONE_SECONDS)
  return {
    pid,
    host,
    since: isoTime(since),
    url,
    admin_url: adminUrl,
    targets,
    alive,
    acknowledges: alive && problems.length === 0 && silentSeconds < MOST_SILENT_SECONDS,
    profile,
    // Rounded, because the two clocks are read one after the other, and milliseconds would differ from call to call.
    last_seen_at: isoTime(Math.round(now - silentSeconds)),
  }
}

function warningsOf(stored: StoredListener, listener: Listener): string[] {
  const {pid, host, url, alive, acknowledges, last_seen_at} = listener
  const name = `the listener at ${url} (pid ${pid} on ${host})`
  if (!alive) return [`${name} was killed: it did not end in order, and was last seen at ${last_seen_at}`]
  const warnings = stored.warnings.map(warning => `${name}: ${warning}`)
  if (acknowledges) return warnings
  const why =
    stored.problems.length > 0
      ? `cannot acknowledge events (${stored.problems.join(', ')})`
      : `has not reported since ${last_seen_at}: it cannot write to its store`
  return [`${name} ${why}`, ...warnings]
}

/**
 * Returns warnings about forwards to URLs that no listener serves, and about listeners with different targets. URLs are
 * without their query, as listeners report them. Returns none while no listener runs, because there is nothing to
 * compare with.
 */
function targetWarnings({pendingTargets}: StoreOverview, listeners: readonly Listener[]): string[] {
  const living = listeners.filter(({alive}) => alive)
  if (living.length === 0) return []
  const served = new Set(living.flatMap(({targets}) => targets))
  const waiting = new Map<string, number>()
  for (const {target, pending} of pendingTargets) {
    const label = targetLabel(target)
    if (!served.has(label)) waiting.set(label, (waiting.get(label) ?? 0) + pending)
  }
  const warnings = [...waiting].map(([label, pending]) => {
    const what = `${counted(pending, 'forward waits', 'forwards wait')} for ${label}, an address that no listener has`
    return `${what}; start one with it, or give them up: bookctl webhooks events prune --forwards-to ${shellWord(label)}`
  })
  for (const profile of new Set(living.map(listener => listener.profile))) {
    const ofProfile = living.filter(listener => listener.profile === profile)
    const sets = new Set(ofProfile.map(({targets}) => [...targets].sort().join('\n')))
    const what = `the listeners of profile ${profile} have different --forward-to addresses`
    if (sets.size > 1) warnings.push(`${what}: an event goes only to those of the listener that received it`)
  }
  return warnings
}

/**
 * Returns the warnings about targets for a listener that starts. If the store fails, returns none, because the failure
 * is reported elsewhere.
 */
export async function warningsAtStart(store: Pick<EventKeeper, 'overview'>): Promise<string[]> {
  try {
    const overview = await store.overview()
    const own =
      overview.listeners.find(({pid, host}) => pid === process.pid && host === hostname())?.owner ?? ''
    const host = {now: systemClock.now(), fateOf: (owner: string) => fateOf(owner, own), warnings: []}
    return targetWarnings(
      overview,
      overview.listeners.map(listener => shown(listener, host)),
    )
  } catch {
    return []
  }
}

function diskWarnings(directory: string): string[] {
  try {
    const {bavail, bsize} = statfsSync(directory)
    const free = bavail * bsize
    return free < LEAST_FREE_BYTES ? [`the disk of ${directory} has only ${sizeText(free)} left`] : []
  } catch {
    // If the directory does not exist, nothing was stored yet.
    return []
  }
}

/** Returns the status as a result to print: the listeners as rows in a pipe, sentences at a terminal. */
export function statusResult(status: ReceiverStatus): Result<Listener> {
  return {
    document: status,
    items: status.listeners,
    columns: columnsOf<Listener>(LISTENER_COLUMNS),
    id: ({pid}) => pid,
    warning: status.warnings.map(text => `Warning: ${sanitizeLine(text, 500)}`),
    people: (paint, width) => {
      const marks = marksFor(process.env)
      const style = status.healthy ? 'good' : 'bad'
      const words = status.healthy ? 'Healthy' : 'Not healthy'
      const lines = factsOf(status).map(
        ([name, text]) => `${name.padEnd(NAME_WIDTH)}${sanitizeLine(text, 1000)}`,
      )
      return [
        `${paint(style, marks[style])} ${words}`,
        ...lines.flatMap(line => hang(line, width, NAME_WIDTH)),
      ]
    },
  }
}

const NAME_WIDTH = 13

function factsOf(status: ReceiverStatus): [name: string, text: string][] {
  const {listeners, last_event_at, last_hour, refused_last_hour, forwards, stored_bytes} = status
  const facts = listeners.map(({pid, host, since, url, admin_url, targets, alive}): [string, string] => {
    const admin = admin_url === null ? '' : `, admin ${admin_url}`
    const to = targets.length === 0 ? '' : ` → ${targets.join(', ')}`
    return [alive ? 'Listener' : 'Killed', `${url}${to} (pid ${pid} on ${host}, since ${since}${admin})`]
  })
  facts.push(['Last event', last_event_at ?? 'none'])
  facts.push(['Last hour', countsText(last_hour, 'event')])
  facts.push(['Refused', countsText(refused_last_hour, 'request')])
  if (forwards.pending !== null) {
    const {pending, oldest_pending_seconds: oldest, given_up_last_day: givenUp} = forwards
    const age = oldest === null ? '' : `, the oldest for ${durationText(oldest)}`
    facts.push(['Forwards', `${pending} pending${age}; ${givenUp} given up in the last day`])
  }
  if (stored_bytes !== null) facts.push(['Stored', sizeText(stored_bytes)])
  return facts
}

/** Formats counts as `3 events: voucher.ready 2, reservation.confirmed 1`. */
function countsText(counts: Readonly<Record<string, number>>, one: string): string {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const each = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return counted(all, one) + (all === 0 ? '' : `: ${each.join(', ')}`)
}

function durationText(seconds: number): string {
  if (seconds < 120) return counted(Math.round(seconds), 'second')
  if (seconds < 7200) return counted(Math.round(seconds / 60), 'minute')
  return counted(Math.round(seconds / 3600), 'hour')
}

function sizeText(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}
