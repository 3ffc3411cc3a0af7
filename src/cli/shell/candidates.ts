/**
 * Words for the command line that this machine knows, for completion and for questions about missing values. No network,
 * nothing created or changed. A command's `static candidates` names the kinds of its arguments.
 */
import {EVENT_TYPES} from '../../contract/events.js'
import {SCOPES} from '../../contract/scopes.js'
import {openStateToLookAt, type State} from '../../state/state.js'
import {SETTING_KEYS} from '../session/setting-keys.js'

/** One word that may be typed, and what it is. */
export interface Candidate {
  readonly value: string
  readonly description: string
}

/** Maximum number of completion candidates. */
const MOST_EVENTS = 100

/** Where each kind of word is from. They throw when a file is missing or cannot be read. */
export const SOURCES = {
  profiles: state =>
    Object.entries(state.settings.read().profiles).map(([value, profile]) => ({
      value,
      description: profile.base_url,
    })),
  cities: state =>
    state.cities.list().map(({id, name, country_code}) => ({
      value: String(id),
      description: [name, country_code].filter(Boolean).join(', '),
    })),
  references: state =>
    state.journal
      .list()
      .flatMap(({reservationRef: value, outcome, clientReferenceId}) =>
        value === null ? [] : [{value, description: `${outcome}, ${clientReferenceId}`}],
      ),
  'event-types': () => described(EVENT_TYPES),
  scopes: () => described(SCOPES),
  settings: () => SETTING_KEYS.map(({name, summary}) => ({value: name, description: summary})),
  'client-references': state =>
    state.journal.list().map(({clientReferenceId, outcome}) => ({
      value: clientReferenceId,
      description: outcome,
    })),
  subscriptions: state =>
    state.secrets.listSigningSecrets().map(({subscription_id, profile}) => ({
      value: subscription_id,
      description: `of profile ${profile}`,
    })),
  offers: state =>
    state.offers.valid(Date.now() / 1000).map(({offer_id, hotel_name, room_name, total, currency}) => ({
      value: offer_id,
      description: [hotel_name, room_name, total, currency].filter(Boolean).join(' '),
    })),
  events: state =>
    state.events.page({}, {}, MOST_EVENTS).map(({eventId, type}) => ({
      value: eventId,
      description: type ?? '',
    })),
} as const satisfies Record<string, (state: State) => Candidate[]>

export function described(of: Readonly<Record<string, string>>): Candidate[] {
  return Object.entries(of).map(([value, description]) => ({value, description}))
}

export type Source = keyof typeof SOURCES

/** Kinds of which this machine knows every word. */
export const COMPLETE: ReadonlySet<Source> = new Set(['profiles', 'event-types'])

/** The words of a kind, each once; none if they cannot be read. */
export function candidatesOf(kind: Source, configDirectory: string): Candidate[] {
  const state = openStateToLookAt(configDirectory)
  try {
    return [...new Map(SOURCES[kind](state).map(candidate => [candidate.value, candidate])).values()]
  } catch {
    return []
  } finally {
    state.close()
  }
}
