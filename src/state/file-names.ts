/** Names of the files in the configuration directory. */

export const SETTINGS_NAME = 'config.json'
export const TOKENS_NAME = 'tokens.db'
export const STATE_NAME = 'state.db'
export const EVENTS_NAME = 'events.db'
/** The current file with requests, and the previous one. */
export const EXCHANGES_NAME = 'exchanges.jsonl'
export const EXCHANGES_BEFORE_NAME = 'exchanges.1.jsonl'
/** The certificate authority of `listen --tls`, which a local sandbox in the same directory trusts, and its key. */
export const LISTEN_CA_NAME = 'listen-ca.pem'
export const LISTEN_CA_KEY_NAME = 'listen-ca-key.pem'
/** The key that signs the pages of `sandbox certify`. */
export const CERTIFY_KEY_NAME = 'certify-key.pem'
/** The local sandbox's database, and the file with the address of the running sandbox. */
export const SANDBOX_NAME = 'sandbox.db'
export const SANDBOX_NOTE_NAME = 'sandbox-running.json'
/** The directory of the lock files. */
export const LOCKS_NAME = 'locks'

export const DATABASE_NAMES = [TOKENS_NAME, STATE_NAME, EVENTS_NAME]

/** The names of all files, except temporary ones. */
export const FILE_NAMES = [
  SETTINGS_NAME,
  ...DATABASE_NAMES,
  EXCHANGES_NAME,
  EXCHANGES_BEFORE_NAME,
  LISTEN_CA_NAME,
  LISTEN_CA_KEY_NAME,
  CERTIFY_KEY_NAME,
  SANDBOX_NAME,
  SANDBOX_NOTE_NAME,
]
