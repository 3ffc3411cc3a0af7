/**
 * config.json: profiles and defaults, for people to read and edit; no secret is in it. Every command reads it at its
 * start. A file that is not valid is refused with the line of the mistake, and never changed. Changes are made under a
 * lock, so none is lost.
 */
import {closeSync, constants, fstatSync, lstatSync, openSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type Failure, usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import {lineOf, MISSING, mistakeIn, repeatedKeyLine} from '../contract/input-mistakes.js'
import {sizeText} from '../contract/limits.js'
import {PATIENCE_MILLISECONDS} from '../storage/database.js'
import {StorageError} from '../storage/errors.js'
import {
  ensurePrivateDirectory,
  isOfAnother,
  tighten,
  tightenDirectory,
  writeWholeFile,
} from '../storage/files.js'
import {withLock} from '../storage/lock.js'
import {SETTINGS_NAME} from './file-names.js'
import type {SettingsEditor, SettingsStage} from './settings-change.js'
import {type SettingsFile, settingsMistake} from './settings-schema.js'

export type {SettingsEditor} from './settings-change.js'
export type {Profile, SettingsFile} from './settings-schema.js'

/** Work that belongs to a change. */
interface Together {
  /** Called when the new content is on the disk, before the rename; if it throws, the old content stays. */
  readonly whenReady?: () => void
  /** Called after the rename. */
  readonly whenDone?: () => Promise<void>
}

type Edit = (settings: SettingsEditor) => void

/** `mayTighten`: whether reading makes the file 0600, which writing does in any case. */
export function createSettings(directory: string, {mayTighten = true} = {}) {
  const path = join(directory, SETTINGS_NAME)
  const write = async (stage: SettingsStage, edit: Edit, {whenReady, whenDone}: Together) => {
    const text = readSettingsText(path, mayTighten)
    if (text !== undefined) parseSettings(text, path)
    const changed = stage.edit(text, edit)
    const settings = parseSettings(changed, path)
    await writeWholeFile(path, [Buffer.from(changed)], {existing: 'replace', whenReady})
    await whenDone?.()
    return settings
  }
  return {
    /** Path of config.json, whether or not it exists. */
    path,
    /** The content of the file; no profiles when there is none. Throws Failure when it is not valid. */
    read(): SettingsFile {
      const text = readSettingsText(path, mayTighten)
      return text === undefined ? {profiles: {}} : parseSettings(text, path)
    },
    /** Returns the new settings. Others wait until `whenDone` has ended. Throws Failure for what is invalid, StorageError. */
    async update(edit: Edit, together: Together = {}): Promise<SettingsFile> {
      ensurePrivateDirectory(directory)
      const {openStage} = await import('./settings-change.js')
      const stage = await openStage(path)
      try {
        const waitMilliseconds = PATIENCE_MILLISECONDS
        const lock = {directory, kind: 'settings', key: SETTINGS_NAME, waitMilliseconds}
        const outcome = await withLock(lock, () => write(stage, edit, together))
        if (!outcome.gaveUp) return outcome.value
      } finally {
        stage.close()
      }
      throw new StorageError('busy', `${path} is being changed by another process`, 'run the command again')
    },
  }
}

const MOST_BYTES = 1024 * 1024
const FIX = 'fix the file, or move it away to start with a new one; it was not changed'

/** The text of the file, undefined without one. Follows no symbolic link. Throws Failure. */
function readSettingsText(path: string, mayTighten: boolean): string | undefined {
  let file: number | undefined
  try {
    const stats = lstatSync(path, {throwIfNoEntry: false})
    if (stats === undefined) return undefined
    if (!stats.isFile())
      throw invalid(path, 'is not a regular file (a symbolic link or a directory is not followed)')
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    const opened = fstatSync(file)
    if (opened.size > MOST_BYTES) throw invalid(path, `is larger than ${sizeText(MOST_BYTES)}`)
    if (isOfAnother(path, opened)) throw invalid(path, 'belongs to another user, who could change it')
    if (mayTighten) {
      tighten(file, opened)
      try {
        tightenDirectory(dirname(path))
      } catch {
        // The system forbids it: writing reports that, and so does `doctor`.
      }
    }
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(readFileSync(file))
  } catch (error) {
    const {code, syscall} = error as NodeJS.ErrnoException
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw invalid(path, 'is not UTF-8 text')
    if (syscall === undefined) throw error
    // A directory that cannot be searched counts as empty.
    if (syscall === 'lstat' && ['ENOTDIR', 'EACCES'].includes(code ?? '')) return undefined
    throw invalid(path, `cannot be read (${code})`)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The settings written in `text`, which is or will be the file at `path`. Throws Failure naming the line that is wrong. */
function parseSettings(text: string, path: string): SettingsFile {
  if (text.startsWith('\uFEFF'))
    throw invalid(path, 'starts with a byte order mark; save it as UTF-8 without one')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    if (text.trim() === '') throw invalid(path, 'is empty')
    const {line, column, problem} = mistakeIn(text)
    throw invalid(path, `is not JSON: ${problem} at line ${line}, column ${column}`)
  }
  // JSON.parse keeps the last one, and the next change would silently drop the others.
  const repeated = repeatedKeyLine(text)
  if (repeated !== undefined)
    throw invalid(`${path}, line ${repeated}`, 'repeats a key of the same object; remove one of the two')
  const mistake = settingsMistake(json)
  if (mistake === undefined) return {profiles: {}, ...(json as Partial<SettingsFile>)}
  const {keys, problem} = mistake
  const place = sanitizeLine(keys.join('.') || 'the whole file', 120)
  // A missing key has no line, but the object around it has.
  const line = lineOf(text, problem === MISSING ? keys.slice(0, -1) : keys)
  throw invalid(`${path}, line ${line}:`, `${place} ${problem}`)
}

function invalid(place: string, what: string): Failure {
  return usage('settings_invalid', `${place} ${what}`, FIX)
}
