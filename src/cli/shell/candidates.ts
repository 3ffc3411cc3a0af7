/** Words this machine knows, for completion and questions; no network, nothing created or changed. */
import {EVENT_TYPES} from '../../contract/events.js'
import {SCOPES} from '../../contract/operations.js'
import {openStateToLookAt, type State} from '../../state/state.js'
import {SETTING_KEYS} from '../session/setting-keys.js'

export type Candidate = readonly [value: string, description: string]

/** Maximum number of completion candidates. */
const MOST_EVENTS = 100

/** Each kind of word, as values and descriptions, of one service or of all. They throw when a file cannot be read. */
export const SOURCES = {
  profiles: state =>
    Object.entries(state.settings.read().profiles).map(([name, {base_url}]) => [name, base_url]),
  cities: (state, baseUrl) =>
    state.cities
      .list(baseUrl === undefined ? undefined : {baseUrl})
      .map(({id, name, country_code: country}) => [String(id), joined(', ', name, country)]),
  references: (state, baseUrl) => referencesOf(state, baseUrl),
  vouchers: (state, baseUrl) => referencesOf(state, baseUrl, 'confirmed'),
  'event-types': () => Object.entries(EVENT_TYPES),
  scopes: () => Object.entries(SCOPES),
  settings: () => SETTING_KEYS.map(({name, summary}) => [name, summary]),
  'client-references': async (state, baseUrl) =>
    (await journalOf(state, baseUrl)).map(({clientReferenceId, outcome}) => [clientReferenceId, outcome]),
  subscriptions: state =>
    state.secrets.listSigningSecrets().map(({subscription_id: id, profile}) => [id, `of profile ${profile}`]),
  offers: async state =>
    (await state.offers.valid(Date.now() / 1000)).map(offer => [
      offer.offer_id,
      joined(' ', offer.hotel_name, offer.room_name, offer.total, offer.currency),
    ]),
  events: async state =>
    (await state.events.page({}, {}, MOST_EVENTS)).map(({eventId, type}) => [eventId, type ?? '']),
} as const satisfies Record<string, (state: State, baseUrl?: string) => Candidate[] | Promise<Candidate[]>>

async function journalOf(state: State, baseUrl: string | undefined) {
  return (await state.journal.list()).filter(entry => baseUrl === undefined || entry.baseUrl === baseUrl)
}

/** With `wanted`, only reservations that ended so, as far as this machine knows. */
async function referencesOf(
  state: State,
  baseUrl: string | undefined,
  wanted?: string,
): Promise<Candidate[]> {
  return (await journalOf(state, baseUrl))
    .filter(({outcome}) => wanted === undefined || outcome === wanted)
    .map(({reservationRef, outcome, clientReferenceId}) => [
      reservationRef ?? '',
      `${outcome}, ${clientReferenceId}`,
    ])
}

function joined(between: string, ...words: readonly (string | null | undefined)[]): string {
  return words.filter(Boolean).join(between)
}

export type Source = keyof typeof SOURCES

/** Kinds of which this machine knows every word. */
export const COMPLETE: ReadonlySet<Source> = new Set(['profiles', 'event-types'])

/** The words of a kind, each once; none if they cannot be read. */
export async function candidatesOf(
  kind: Source,
  configDirectory: string,
  baseUrl?: string,
): Promise<Candidate[]> {
  const state = openStateToLookAt(configDirectory)
  try {
    return [...new Map(await SOURCES[kind](state, baseUrl))].filter(([value]) => value !== '')
  } catch {
    return []
  } finally {
    state.close()
  }
}
