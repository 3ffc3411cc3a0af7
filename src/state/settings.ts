/**
 * config.json: profiles and defaults, for people to read and edit; no secret is in it. A file that cannot be
 * understood is refused with its place and never changed. Changes are made under a lock, so none is lost.
 */
import {join} from 'node:path'
import {StorageError} from '../storage/errors.js'
import {ensurePrivateDirectory, writeWholeFile} from '../storage/files.js'
import {withLock} from '../storage/lock.js'
import {PATIENCE_MILLISECONDS} from '../storage/sqlite.js'
import {SETTINGS_NAME} from './file-names.js'
import type {SettingsEditor, SettingsStage} from './settings-change.js'
import {parseSettings, readSettingsText} from './settings-file.js'
import type {SettingsFile} from './settings-schema.js'

export type {SettingsEditor} from './settings-change.js'
export type {Profile, SettingsFile} from './settings-schema.js'

/** What is done together with a change. */
export interface Together {
  /** When nothing but the file's name is missing. */
  readonly whenReady?: () => void
  /** When it has its name. */
  readonly whenDone?: () => Promise<void>
}

type Edit = (settings: SettingsEditor) => void

export interface Settings {
  /** Path of config.json, whether or not it is there. */
  readonly path: string
  /** What the file says; no profiles when there is none. Throws Failure when it cannot be understood. */
  read(): SettingsFile
  /**
   * Makes the changes of `edit` and returns the new settings; the first writer creates the file. Other processes wait
   * until `whenDone` has ended. Throws Failure when the file or a new value is not valid, StorageError when the file
   * cannot be written.
   */
  update(edit: Edit, together?: Together): Promise<SettingsFile>
}

/** `mayTighten`: whether reading makes the file 0600, which writing does in any case. */
export function createSettings(directory: string, {mayTighten = true} = {}): Settings {
  const path = join(directory, SETTINGS_NAME)
  const read = () => {
    const text = readSettingsText(path, mayTighten)
    return text === undefined ? {profiles: {}} : parseSettings(text, path)
  }
  const write = async (stage: SettingsStage, edit: Edit, {whenReady, whenDone}: Together) => {
    const text = readSettingsText(path, mayTighten)
    if (text !== undefined) parseSettings(text, path)
    const changed = stage.edit(text, edit)
    const settings = parseSettings(changed, path)
    writeWholeFile(path, Buffer.from(changed), {existing: 'replace', ...(whenReady ? {whenReady} : {})})
    await whenDone?.()
    return settings
  }
  return {
    path,
    read,
    async update(edit, together = {}) {
      ensurePrivateDirectory(directory)
      const {openStage} = await import('./settings-change.js')
      const stage = await openStage(path)
      try {
        const lock = {
          directory,
          kind: 'settings',
          key: SETTINGS_NAME,
          waitMilliseconds: PATIENCE_MILLISECONDS,
        }
        const outcome = await withLock(lock, () => write(stage, edit, together))
        if (!outcome.gaveUp) return outcome.value
      } finally {
        stage.close()
      }
      throw new StorageError('busy', `${path} is being changed by another process`, 'run the command again')
    },
  }
}
