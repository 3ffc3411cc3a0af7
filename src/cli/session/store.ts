/** The store that this machine shares with others: BOOKCTL_STORE, or the setting `store` of the profile or the defaults. */
import type {SettingsFile} from '../../state/settings.js'
import type {StoreChoice} from '../../state/state.js'
import {DEFAULT_PROFILE} from './target.js'

export interface StoreSurroundings {
  readonly settings: () => SettingsFile
  readonly env: NodeJS.ProcessEnv
  /** Of `--profile`. */
  readonly profile: string | undefined
  /** Of `--base-url`, or the variable that fills it. */
  readonly baseUrl: string | undefined
  /** Certificates and time limit, read when the store is first used. */
  readonly connection: () => Promise<{caFile?: string | undefined; timeoutSeconds?: number | undefined}>
}

/** Of connecting, and of each statement: a store that is well answers within milliseconds. */
const MOST_SECONDS = 10

export function chooseStore({settings, env, profile, baseUrl, connection}: StoreSurroundings): StoreChoice {
  const ofProfile = () => {
    const {profiles, current_profile: current} = settings()
    const name = profile || env.BOOKCTL_PROFILE || current || DEFAULT_PROFILE
    return Object.hasOwn(profiles, name) ? profiles[name] : undefined
  }
  const address = () => env.BOOKCTL_STORE || (ofProfile()?.store ?? settings().defaults?.store)
  return {
    isSet: () => address() !== undefined,
    async options() {
      const {parseStoreUrl} = await import('../../state/postgres/url.js')
      const {trustedCertificates} = await import('./trust.js')
      const parsed = parseStoreUrl(address() ?? '', env)
      const {caFile, timeoutSeconds = MOST_SECONDS} = await connection()
      const trusted = parsed.isEncrypted ? await trustedCertificates(caFile, env) : undefined
      const timeoutMilliseconds = Math.min(timeoutSeconds, MOST_SECONDS) * 1000
      return {address: parsed, trusted, timeoutMilliseconds}
    },
    async clients() {
      const {BOOKCTL_CLIENT_ID: clientId, BOOKCTL_CLIENT_SECRET: clientSecret} = env
      const url = baseUrl || ofProfile()?.base_url
      if (!clientId || !clientSecret || !url) return []
      const {parseBaseUrl} = await import('../../api/http/base-url.js')
      return [{baseUrl: parseBaseUrl(url).baseUrl, clientId, clientSecret}]
    },
  }
}
