/** `explain`: opens the sources, gathers the facts, and looks for problems in them. */
import {systemClock} from '../../../contract/dates.js'
import {isLoopbackHost, underOneName} from '../../../contract/network.js'
import {lastExchanges} from '../../../state/exchanges.js'
import type {State} from '../../../state/state.js'
import type {Connection, ConnectOptions} from '../../session/connect.js'
import {openSender} from '../../session/connect.js'
import type {Target} from '../../session/resolve.js'
import {listeningSandboxes} from '../../session/sandbox-records.js'
import type {Facts} from './facts.js'
import type {Finding} from './finding.js'
import {findingsIn, unjudgedIn} from './findings.js'
import {requestOfHistory} from './from-requests.js'
import {createSandboxView, type SandboxView} from './from-sandbox.js'
import {createServiceView} from './from-service.js'
import {gather} from './gather.js'
import {resolveHere} from './subject.js'

/** A number of lines that exceeds the history of requests. */
const WHOLE_HISTORY = 100_000

/** What `explain` opens its sources from. */
export interface ExplainContext {
  readonly state: State
  /** The service and credentials in use. Undefined if logged out. */
  readonly target: Target | undefined
  readonly connect: () => Promise<Connection>
  readonly options: ConnectOptions
  /** Registers a function that runs when the command ends. */
  readonly whenStopped: (tidy: () => unknown) => void
}

export interface Explanation {
  readonly facts: Facts
  readonly findings: readonly Finding[]
  /** What could not be judged about events, and why. */
  readonly unjudged: readonly string[]
}

/** Explains `what`. Throws a usage error `unknown_subject` if nothing is known about it, or a StorageError. */
export async function explain(what: string, context: ExplainContext): Promise<Explanation> {
  const {state, connect} = context
  const sources = {
    state,
    events: await state.events(),
    history: historyOf(state),
    service: createServiceView(connect),
    sandboxes: await openSandboxes(what, context),
  }
  const facts = await gather(what, sources, systemClock.now())
  return {facts, findings: findingsIn(facts), unjudged: unjudgedIn(facts)}
}

/** Reports whether this machine or its shared store knows the name. If so, it is not taken for the name of a file. */
export async function isKnownHere(what: string, state: State): Promise<boolean> {
  const events = await state.events()
  return (await resolveHere(what, {state, events, history: historyOf(state)})) !== undefined
}

function historyOf({directory}: State) {
  return lastExchanges(directory, WHOLE_HISTORY).flatMap(line => requestOfHistory(line) ?? [])
}

/**
 * Returns the local sandboxes that answer: those that the subject's journal entries or the client in use belong to, and
 * those that are running.
 */
async function openSandboxes(
  what: string,
  {state, target, options, whenStopped}: ExplainContext,
): Promise<SandboxView[]> {
  const entries = await state.journal.list({named: what})
  const baseUrls = [...entries.map(({baseUrl}) => baseUrl), ...(target ? [target.baseUrl] : [])]
  const running = target === undefined || target.isLoopback ? await listeningSandboxes(state.directory) : []
  const origins = [...baseUrls.filter(isHere), ...running.map(({base_url}) => base_url)].map(
    originUnderOneName,
  )
  if (origins.length === 0) return []
  // Calls of a sandbox's controls are not requests of the user, so they are not recorded.
  const {sender, close} = await openSender({...options, history: undefined, har: undefined})
  whenStopped(close)
  const views = [...new Set(origins)].map(origin => createSandboxView(sender, origin))
  const clocks = await Promise.all(views.map(view => view.now()))
  return views.filter((_, n) => clocks[n] !== undefined)
}

function isHere(baseUrl: string): boolean {
  return isLoopbackHost(new URL(baseUrl).hostname)
}

function originUnderOneName(baseUrl: string): string {
  return new URL(underOneName(baseUrl)).origin
}
