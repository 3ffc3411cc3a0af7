/** Ports whose place, this machine or a store that it shares, is found when they are used. */
import {usage} from '../contract/failure.js'
import {isNeverSent, type Journal, type ReservationIntent} from '../contract/journal.js'

type Methods = Record<string, (...args: readonly unknown[]) => unknown>

/** A port that is found at each call, whose methods are asynchronous, but for those it has of its `own`. */
export function routed<Port extends object>(find: () => Promise<Port>, own: Partial<Port> = {}): Port {
  const get = (methods: Methods, name: string) => {
    // Nothing that is awaited may look like a promise itself.
    if (name === 'then' || name in methods) return methods[name]
    return async (...args: readonly unknown[]) => ((await find()) as Methods)[name]?.(...args)
  }
  return new Proxy(own as Methods, {get}) as Port
}

/** The journal of a store, on a machine that has one of its own from before: what was begun there is not begun again. */
export function withoutLocal(shared: Journal, local: Journal): Journal {
  const refuse = async (intent: ReservationIntent) => {
    const verdict = await local.look(intent)
    if (verdict === undefined || isNeverSent(verdict.entry)) return
    const {clientReferenceId, outcome} = verdict.entry
    const problem = `this reservation is in the journal of this machine, from before the store was set (client reference ${clientReferenceId}, ${outcome}); nothing was sent`
    const hint = 'without the store (unset BOOKCTL_STORE, or bookctl config unset store) run: bookctl journal'
    throw usage('begun_without_store', problem, hint)
  }
  return new Proxy(shared, {
    get(port, name: keyof Journal) {
      if (name !== 'look' && name !== 'begin') return port[name]
      return async (intent: ReservationIntent, now: number) => {
        await refuse(intent)
        return port[name](intent, now)
      }
    },
  })
}
