/**
 * The keychain of the operating system, through an optional package: where it is missing, or where no keychain
 * answers within three seconds (a container, a server), the failure names the way round.
 */
import {Failure} from '../contract/failure.js'

const KEYCHAIN_SECONDS = 3

export interface Keychain {
  read(account: string): Promise<string | undefined>
  write(account: string, secret: string): Promise<void>
  remove(account: string): Promise<boolean>
}

/** One secret of the keychain; the part of `AsyncEntry` of @napi-rs/keyring that is used. */
export interface KeychainEntry {
  getPassword(signal?: AbortSignal): Promise<string | null | undefined>
  setPassword(secret: string, signal?: AbortSignal): Promise<void>
  deleteCredential(signal?: AbortSignal): Promise<boolean>
}

/**
 * `directory` tells the accounts of several configurations apart. `loadEntry` is given in tests; it is called when
 * the keychain is first used, so that nothing native is loaded otherwise.
 */
export function createKeychain(
  directory: string,
  loadEntry: (name: string) => Promise<KeychainEntry> = loadSystemEntry,
): Keychain {
  const use = async <T>(account: string, work: (entry: KeychainEntry, signal: AbortSignal) => Promise<T>) => {
    try {
      const entry = await loadEntry(`${account} (${directory})`)
      return await withinSeconds(KEYCHAIN_SECONDS, signal => work(entry, signal))
    } catch (error) {
      throw noKeychain(error)
    }
  }
  return {
    read: async account => (await use(account, (entry, signal) => entry.getPassword(signal))) ?? undefined,
    write: (account, secret) => use(account, (entry, signal) => entry.setPassword(secret, signal)),
    remove: account => use(account, (entry, signal) => entry.deleteCredential(signal)),
  }
}

async function loadSystemEntry(account: string): Promise<KeychainEntry> {
  const {AsyncEntry} = await import('@napi-rs/keyring')
  return new AsyncEntry('bookctl', account)
}

/** A native call may ignore its signal, so the time limit does not depend on it. */
async function withinSeconds<T>(seconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${seconds} s`))
      controller.abort()
    }, seconds * 1000)
  })
  try {
    return await Promise.race([work(controller.signal), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** The keychain's own words are left out of the message: some name what they were asked to store. */
function noKeychain(error: unknown): Failure {
  const missing = (error as {code?: string}).code === 'ERR_MODULE_NOT_FOUND'
  const why = missing
    ? 'the package @napi-rs/keyring is not installed'
    : 'it did not answer or refused access'
  return new Failure('not_allowed', `cannot use the keychain of this system: ${why}`, {
    code: 'keychain_unavailable',
    hint: 'run `bookctl login` without --keychain to store the secret in a private file, or set BOOKCTL_CLIENT_SECRET',
  })
}
