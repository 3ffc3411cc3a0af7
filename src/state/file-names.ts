/** What the files in the configuration directory are called: the one list, for those who open, check and show them. */

export const SETTINGS_NAME = 'config.json'
export const TOKENS_NAME = 'tokens.db'
export const STATE_NAME = 'state.db'
export const EVENTS_NAME = 'events.db'
/** The last requests, and those before them. */
export const EXCHANGES_NAME = 'exchanges.jsonl'
export const EXCHANGES_BEFORE_NAME = 'exchanges.1.jsonl'
/** The authority of `listen --tls`; a local sandbox in the same directory trusts it. */
export const LISTEN_CA_NAME = 'listen-ca.pem'
export const LISTEN_CA_KEY_NAME = 'listen-ca-key.pem'
/** The local sandbox's store, and the note of the one that runs. */
export const SANDBOX_NAME = 'sandbox.db'
export const SANDBOX_NOTE_NAME = 'sandbox-running.json'
/** A directory: what processes that write the same thing wait for. */
export const LOCKS_NAME = 'locks'

/** This machine's own databases. */
export const DATABASE_NAMES = [TOKENS_NAME, STATE_NAME, EVENTS_NAME]

/** Every file, apart from what is made and removed in passing. */
export const FILE_NAMES = [
  ...[SETTINGS_NAME, ...DATABASE_NAMES, EXCHANGES_NAME, EXCHANGES_BEFORE_NAME],
  ...[LISTEN_CA_NAME, LISTEN_CA_KEY_NAME, SANDBOX_NAME, SANDBOX_NOTE_NAME],
]
