/** Words this machine knows, for completion and questions; no network, nothing created or changed. */
import {EVENT_TYPES} from '../../contract/events.js'
import {SCOPES} from '../../contract/operations.js'
import type {Client} from '../../contract/token-cache.js'
import {openState, type State} from '../../state/state.js'
import {SETTING_KEYS} from '../session/setting-keys.js'

export type Candidate = readonly [value: string, description: string]

/** Each kind of word, as values and descriptions, of one client of a service or of all. They throw when a file cannot be read. */
export const SOURCES = {
  profiles: state =>
    Object.entries(state.settings.read().profiles).map(([name, {base_url}]) => [name, base_url]),
  cities: (state, client) =>
    state.cities
      .list(client)
      .map(({id, name, country_code}) => [String(id), [name, country_code].filter(Boolean).join(', ')]),
  references: (state, client) => referencesOf(state, client),
  vouchers: (state, client) => referencesOf(state, client, 'confirmed'),
  'event-types': () => Object.entries(EVENT_TYPES),
  scopes: () => Object.entries(SCOPES),
  settings: () => SETTING_KEYS.map(({name, summary}) => [name, summary]),
  'client-references': async (state, client) =>
    (await state.journal.list(client && {client})).map(entry => [entry.clientReferenceId, entry.outcome]),
  subscriptions: state =>
    state.secrets.listSigningSecrets().map(({subscription_id: id, profile}) => [id, `of profile ${profile}`]),
  offers: async state =>
    (await state.offers.valid(Date.now() / 1000)).map(
      ({offer_id, hotel_name, room_name, total, currency}) => [
        offer_id,
        [hotel_name, room_name, total, currency].filter(Boolean).join(' '),
      ],
    ),
  events: async state =>
    (await state.events.page({}, {}, 100)).map(({eventId, type}) => [eventId, type ?? '']),
} as const satisfies Record<string, (state: State, client?: Client) => Candidate[] | Promise<Candidate[]>>

/** With `wanted`, only reservations that ended so, as far as this machine knows. */
async function referencesOf(state: State, client: Client | undefined, wanted?: string): Promise<Candidate[]> {
  return (await state.journal.list(client && {client}))
    .filter(({outcome}) => wanted === undefined || outcome === wanted)
    .map(entry => [entry.reservationRef ?? '', `${entry.outcome}, ${entry.clientReferenceId}`])
}

export type Source = keyof typeof SOURCES

/** Kinds of which this machine knows every word. */
export const COMPLETE: ReadonlySet<Source> = new Set(['profiles', 'event-types'])

/** The words of a kind, each once; none if they cannot be read. */
export async function candidatesOf(
  kind: Source,
  configDirectory: string,
  client?: Client,
): Promise<Candidate[]> {
  const state = openState(configDirectory, {writes: false})
  try {
    return [...new Map(await SOURCES[kind](state, client))].filter(([value]) => value !== '')
  } catch {
    return []
  } finally {
    state.close()
  }
}
