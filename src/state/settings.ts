/**
 * config.json: profiles and defaults, for people to read and edit; no secret is in it. A file that cannot be
 * understood is refused with its place and never changed. Changes are made under a lock, so none is lost.
 */
import {join} from 'node:path'
import {StorageError} from '../storage/errors.js'
import {ensurePrivateDirectory, writeWholeFile} from '../storage/files.js'
import {withLock} from '../storage/lock.js'
import {SETTINGS_NAME} from './file-names.js'
import {parseSettings, readSettingsText, type SettingsFile} from './settings-file.js'

export type {Profile, SettingsFile} from './settings-file.js'

/** What is done together with a change. */
export interface Together {
  /** When nothing but the file's name is missing. */
  readonly whenReady?: () => void
  /** When it has its name. */
  readonly whenDone?: () => Promise<void>
}

const LOCK_WAIT_MILLISECONDS = 10_000

export interface Settings {
  /** Path of config.json, whether or not it is there. */
  readonly path: string
  /** What the file says; no profiles when there is none. Throws Failure when it cannot be understood. */
  read(): SettingsFile
  /**
   * Writes what `change` makes of the present settings and returns it; the first writer creates the file.
   * Nobody else changes them until `whenDone` has ended.
   * Throws Failure when the file or the new settings are not as they should be, StorageError when it cannot be written.
   */
  update(change: (settings: SettingsFile) => SettingsFile, together?: Together): Promise<SettingsFile>
}

/** `mayTighten`: whether reading makes the file 0600, which writing does in any case. */
export function createSettings(directory: string, {mayTighten = true} = {}): Settings {
  const path = join(directory, SETTINGS_NAME)
  const read = () => {
    const text = readSettingsText(path, mayTighten)
    return text === undefined ? {profiles: {}} : parseSettings(text, path)
  }
  const write = async (
    change: (settings: SettingsFile) => SettingsFile,
    {whenReady = () => {}, whenDone}: Together,
  ) => {
    const text = `${JSON.stringify(change(read()), undefined, 2)}\n`
    const settings = parseSettings(text, path)
    writeWholeFile(path, Buffer.from(text), {existing: 'replace', whenReady})
    await whenDone?.()
    return settings
  }
  return {
    path,
    read,
    async update(change, together = {}) {
      ensurePrivateDirectory(directory)
      const lock = {directory, kind: 'settings', key: SETTINGS_NAME, waitMilliseconds: LOCK_WAIT_MILLISECONDS}
      const outcome = await withLock(lock, () => write(change, together))
      if (!outcome.gaveUp) return outcome.value
      throw new StorageError('busy', `${path} is being changed by another process`, 'run the command again')
    },
  }
}
