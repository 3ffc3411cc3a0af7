/**
 * Changes of config.json, made by conf on a staged copy: on the file itself conf would truncate it when the disk is full, lose
 * the changes of parallel processes, and spin for a second in a directory that cannot be written. Only commands that change
 * settings load conf.
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

/** Keys from the outermost object in: `['profiles', 'work', 'timeout']`. */
type Keys = readonly string[]

/** The settings while they are changed. */
export interface SettingsEditor {
  /** The settings with the changes so far. */
  read(): SettingsFile
  /** Throws a usage error when `value` is not valid there, StorageError when the disk is full. */
  set(keys: Keys, value: unknown): void
  /** Removes the value, and the contact or the paths if they are empty then. Throws as `set` does. */
  delete(keys: Keys): void
}

export type SettingsStage = Awaited<ReturnType<typeof openStage>>

/** Makes a place beside config.json (`path`), and loads conf, which is slow, before the lock. Throws StorageError. */
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
    /** The text of config.json after `change`; `text` is the present one. Throws StorageError, and what `change` throws. */
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
    /** Removes the place. */
    close: () => rmSync(stage, {recursive: true, force: true}),
  }
}

/** Keys that conf's own `set` misreads: it ignores the first three silently, and takes digits for a list index. */
const MISREAD = /^(__proto__|constructor|prototype|\d+)$/

/** `object` with `value` at `keys`; for undefined without that key, and without the contact or the paths it leaves empty. */
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
 * Loads conf. A package it loads listens to every fatal signal and sends it again, so that one Ctrl-C would count as two and
 * stop a command that is cleaning up: those listeners are removed.
 */
function loadConf(): Promise<typeof Conf> {
  loading ??= (async () => {
    const before = new Set(signalListeners().map(({listener}) => listener))
    const {default: Store} = await import('conf')
    const added = signalListeners().filter(({listener}) => !before.has(listener))
    // Node starts with SIGXFSZ ignored; without any listener, a limit on file sizes would kill the process.
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
