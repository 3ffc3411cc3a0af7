/** What config.json gives when neither flag nor environment did: `defaults.nationality`, `defaults.currency`. */
import type {State} from '../state/state.js'

interface Defaulted {
  readonly profile?: string | undefined
  readonly nationality?: string | undefined
  readonly currency?: string | undefined
}

/** `flags`, completed. The settings are only read when something is missing. */
export function readDefaults<T extends Defaulted>(
  flags: T,
  state: State,
): T & {nationality?: string; currency?: string} {
  if (flags.nationality !== undefined && flags.currency !== undefined) return flags as never
  const {defaults = {}} = state.settings.read()
  const pick = (name: 'nationality' | 'currency') => flags[name] ?? defaults[name]?.toString()
  const [nationality, currency] = [pick('nationality'), pick('currency')]
  return {...flags, ...(nationality ? {nationality} : {}), ...(currency ? {currency} : {})} as never
}
