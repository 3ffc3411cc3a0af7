/**
 * Changes config.json by running conf on a copy. On the file itself, conf would truncate it when the disk is full, lose
 * changes of parallel processes, and block for a second in a read-only directory. Only commands that change settings
 * load conf.
 */
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {dirname} from 'node:path'
import process from 'node:process'
import type {default as Conf} from 'conf'
import {usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import {type JsonObject, own} from '../contract/json.js'
import {storageErrorOf} from '../storage/errors.js'
import {temporaryPath} from '../storage/temporary.js'
import {type SettingsFile, settingsMistake} from './settings-schema.js'

/** The path of keys to a value, outermost first: `['profiles', 'work', 'timeout']`. */
type Keys = readonly string[]

/** The settings during a change. */
export interface SettingsEditor {
  /** Returns the settings, including the changes so far. */
  read(): SettingsFile
  /** Sets a value. Throws a usage error if it is not valid there, and a StorageError if the disk is full. */
  set(keys: Keys, value: unknown): void
  /**
   * Removes a value, and also a `contact` or `paths` object that is empty afterwards. Throws the same errors as `set`.
   */
  delete(keys: Keys): void
}

export type SettingsStage = Awaited<ReturnType<typeof openStage>>

/**
 * Creates a temporary directory next to config.json (`path`) and loads conf. Must be called before taking the lock,
 * because loading is slow. Throws a StorageError.
 */
export async function openStage(path: string) {
  const Store = await loadConf()
  const stage = temporaryPath(dirname(path))
  let given = ''
  const serialize = (value: JsonObject) => {
    given = `${JSON.stringify(value, undefined, 2)}\n`
    return given
  }
  try {
    mkdirSync(stage, {mode: 0o700})
  } catch (error) {
    throw storageErrorOf(error, path)
  }
  const conf = new Store<JsonObject>({cwd: stage, configFileMode: 0o600, serialize})
  const write = (keys: Keys, value: unknown) => {
    if (value === undefined || keys.some(key => MISREAD.test(key)))
      conf.store = withValue(conf.store, keys, value)
    else conf.set(keys.map(key => key.replace(/[\\.[]/g, '\\$&')).join('.'), value)
    // conf reports no error for a short write.
    if (readFileSync(conf.path, 'utf8') !== given) throw storageErrorOf({code: 'ENOSPC'}, path)
    if (settingsMistake(conf.store) !== undefined) {
      const place = sanitizeLine(keys.join('.'), 120)
      throw usage('settings_invalid', `${path} cannot hold this value at ${place}`)
    }
  }
  const editor: SettingsEditor = {
    read: () => ({profiles: {}, ...conf.store}),
    set: write,
    delete: keys => write(keys, undefined),
  }
  return {
    /**
     * Returns the text of config.json after `change`. `text` is the current content. Throws a StorageError, or the
     * error that `change` throws.
     */
    edit(text: string | undefined, change: (settings: SettingsEditor) => void): string {
      try {
        writeFileSync(conf.path, text ?? '{}\n', {mode: 0o600})
        change(editor)
        return readFileSync(conf.path, 'utf8')
      } catch (error) {
        throw isSystemError(error) ? storageErrorOf(error, path) : error
      } finally {
        rmSync(conf.path, {force: true})
      }
    },
    /** Deletes the temporary directory. */
    close: () => rmSync(stage, {recursive: true, force: true}),
  }
}

/**
 * Matches keys that conf's own `set` misinterprets: it silently ignores the first three, and takes digits for an array
 * index.
 */
const MISREAD = /^(__proto__|constructor|prototype|\d+)$/

/**
 * Returns a copy of `object` with `value` at `keys`. If the value is undefined, the key is removed, and also a
 * `contact` or `paths` object that is empty afterwards.
 */
function withValue(object: JsonObject, [key = '', ...rest]: Keys, value: unknown, depth = 0): JsonObject {
  const present = own(object, key)
  if (value === undefined && present === undefined) return object
  const inner = rest.length === 0 ? value : withValue((present ?? {}) as JsonObject, rest, value, depth + 1)
  // Profiles and defaults may be empty.
  const isLeftEmpty = rest.length > 0 && depth > 0 && Object.keys(inner as object).length === 0
  if (inner !== undefined && !isLeftEmpty) return {...object, [key]: inner}
  const {[key]: _, ...others} = object
  return others
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

let loading: Promise<typeof Conf> | undefined

/**
 * Loads conf. One of its packages listens to every fatal signal and raises it again. One Ctrl-C would then count as two
 * and stop a command during its cleanup, so those listeners are removed.
 */
function loadConf(): Promise<typeof Conf> {
  loading ??= (async () => {
    const before = new Set(signalListeners().map(({listener}) => listener))
    const {default: Store} = await import('conf')
    const added = signalListeners().filter(({listener}) => !before.has(listener))
    // Node starts with SIGXFSZ ignored. If its last listener were removed, the signal would kill the process when a
    // file reaches its size limit, so this listener stays.
    if (process.platform !== 'win32') process.on('SIGXFSZ', () => {})
    for (const {signal, listener} of added) process.removeListener(signal, listener)
    return Store
  })()
  return loading
}

function signalListeners() {
  const signals = process.eventNames().filter(name => /^SIG(?!WINCH)/.test(String(name))) as NodeJS.Signals[]
  return signals.flatMap(signal => process.listeners(signal).map(listener => ({signal, listener})))
}
