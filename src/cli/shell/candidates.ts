/** Words this machine knows, for completion and questions; no network, nothing created or changed. */
import {EVENT_TYPES} from '../../contract/events.js'
import {SCOPES} from '../../contract/scopes.js'
import {openStateToLookAt, type State} from '../../state/state.js'
import {SETTING_KEYS} from '../session/setting-keys.js'

export interface Candidate {
  readonly value: string
  readonly description: string
}

/** Maximum number of completion candidates. */
const MOST_EVENTS = 100

/** Where each kind of word is from, as values and descriptions. They throw when a file is missing or cannot be read. */
export const SOURCES = {
  profiles: state =>
    Object.entries(state.settings.read().profiles).map(([name, {base_url}]) => [name, base_url]),
  cities: state =>
    state.cities.list().map(({id, name, country_code: country}) => [String(id), joined(', ', name, country)]),
  references: async state =>
    (await state.journal.list()).map(({reservationRef, outcome, clientReferenceId}) => [
      reservationRef ?? '',
      `${outcome}, ${clientReferenceId}`,
    ]),
  'event-types': () => Object.entries(EVENT_TYPES),
  scopes: () => Object.entries(SCOPES),
  settings: () => SETTING_KEYS.map(({name, summary}) => [name, summary]),
  'client-references': async state =>
    (await state.journal.list()).map(({clientReferenceId, outcome}) => [clientReferenceId, outcome]),
  subscriptions: state =>
    state.secrets.listSigningSecrets().map(({subscription_id: id, profile}) => [id, `of profile ${profile}`]),
  offers: async state =>
    (await state.offers.valid(Date.now() / 1000)).map(offer => [
      offer.offer_id,
      joined(' ', offer.hotel_name, offer.room_name, offer.total, offer.currency),
    ]),
  events: async state =>
    (await state.events.page({}, {}, MOST_EVENTS)).map(({eventId, type}) => [eventId, type ?? '']),
} as const satisfies Record<string, (state: State) => Words | Promise<Words>>

type Words = [string, string][]

function joined(between: string, ...words: readonly (string | null | undefined)[]): string {
  return words.filter(Boolean).join(between)
}

export type Source = keyof typeof SOURCES

export function described(words: Iterable<readonly [string, string]>): Candidate[] {
  return [...new Map(words)].map(([value, description]) => ({value, description}))
}

/** Kinds of which this machine knows every word. */
export const COMPLETE: ReadonlySet<Source> = new Set(['profiles', 'event-types'])

/** The words of a kind, each once; none if they cannot be read. */
export async function candidatesOf(kind: Source, configDirectory: string): Promise<Candidate[]> {
  const state = openStateToLookAt(configDirectory)
  try {
    return described(await SOURCES[kind](state)).filter(({value}) => value !== '')
  } catch {
    return []
  } finally {
    state.close()
  }
}
