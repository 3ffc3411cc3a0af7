/** The store that this machine shares with others: BOOKCTL_STORE, or the setting `store` of the profile or the defaults. */
import type {SettingsFile} from '../../state/settings.js'
import type {StoreChoice} from '../../state/state.js'
import {DEFAULT_PROFILE} from './target.js'

export interface StoreSurroundings {
  readonly settings: () => SettingsFile
  readonly env: NodeJS.ProcessEnv
  /** Of `--profile`. */
  readonly profile: string | undefined
  /** Certificates and time limit, read when the store is first used. */
  readonly connection: () => Promise<{caFile?: string | undefined; timeoutSeconds?: number | undefined}>
}

/** Of connecting, and of each statement: a store that is well answers within milliseconds. */
const MOST_SECONDS = 10

export function chooseStore({settings, env, profile, connection}: StoreSurroundings): StoreChoice {
  const address = (): string | undefined => {
    if (env.BOOKCTL_STORE) return env.BOOKCTL_STORE
    const {profiles, defaults, current_profile: current} = settings()
    const name = profile || env.BOOKCTL_PROFILE || current || DEFAULT_PROFILE
    return (Object.hasOwn(profiles, name) ? profiles[name]?.store : undefined) ?? defaults?.store
  }
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
  }
}
