/** The store that this machine shares with others: BOOKCTL_STORE, or the setting `store` of the profile or the defaults. */
import type {SettingsFile} from '../../state/settings.js'
import type {StoreChoice} from '../../state/state.js'
import type {ConnectionSettings} from './settings.js'
import {DEFAULT_PROFILE, type TargetFlags} from './target.js'

/** Of connecting, and of each statement: a store that is well answers within milliseconds. */
const MOST_SECONDS = 10

/** `connection`: certificates and time limit, read when the store is first used. */
export function chooseStore(
  settings: () => SettingsFile,
  env: NodeJS.ProcessEnv,
  flags: TargetFlags,
  connection: () => Promise<ConnectionSettings>,
): StoreChoice {
  const ofProfile = () => {
    const {profiles, current_profile: current} = settings()
    const name = flags.profile || env.BOOKCTL_PROFILE || current || DEFAULT_PROFILE
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
      const url = flags['base-url'] || ofProfile()?.base_url
      if (!clientId || !clientSecret || !url) return []
      const {parseBaseUrl} = await import('../../api/http/base-url.js')
      return [{baseUrl: parseBaseUrl(url).baseUrl, clientId, clientSecret}]
    },
  }
}
