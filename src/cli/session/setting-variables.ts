/**
 * The environment variables that override settings, by the name of the setting. They are not in setting-keys.ts, because
 * every start loads the global flags, which need the names alone.
 */
export const SETTING_VARIABLES = {
  current_profile: 'BOOKCTL_PROFILE',
  base_url: 'BOOKCTL_BASE_URL',
  client_id: 'BOOKCTL_CLIENT_ID',
  scopes: 'BOOKCTL_SCOPES',
  nationality: 'BOOKCTL_NATIONALITY',
  currency: 'BOOKCTL_CURRENCY',
  store: 'BOOKCTL_STORE',
  timeout: 'BOOKCTL_TIMEOUT',
  ca_file: 'BOOKCTL_CA_FILE',
} as const
