/**
 * Reads and changes config.json, which contains profiles and defaults but no secrets, and which users may edit. Every
 * command reads it at its start. An invalid file is never changed; the error names the line of the mistake. Changes are
 * made under a lock, so that none is lost.
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

/** Work that must be done together with a change. */
interface Together {
  /** Called when the new content is on the disk, before the rename. If it throws, the old content stays. */
  readonly whenReady?: () => void
  /** Called after the rename. */
  readonly whenDone?: () => Promise<void>
}

type Edit = (settings: SettingsEditor) => void

/**
 * Creates the settings of `directory`. With `mayTighten`, reading makes the file private (0600) if necessary; writing
 * always does.
 */
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
    /** The path of config.json, whether or not the file exists. */
    path,
    /**
     * Returns the content of the file, or no profiles if there is no file. Throws a usage error if the file is invalid.
     */
    read(): SettingsFile {
      const text = readSettingsText(path, mayTighten)
      return text === undefined ? {profiles: {}} : parseSettings(text, path)
    },
    /**
     * Changes the settings and returns the new ones. Other processes wait until `whenDone` has finished. Throws a usage
     * error for an invalid value, or a StorageError.
     */
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

/**
 * Returns the text of the file, or undefined if there is none. Symbolic links are not followed. Throws a usage error if
 * the file cannot be read.
 */
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
        // The system does not allow changing the permissions. Writing and `doctor` report that.
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

/** Parses `text`, the content of the file at `path`. Throws a usage error that names the line of a mistake. */
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
  // Of equal keys, JSON.parse keeps only the last, and the next change would silently drop the others.
  const repeated = repeatedKeyLine(text)
  if (repeated !== undefined)
    throw invalid(`${path}, line ${repeated}`, 'repeats a key of the same object; remove one of the two')
  const mistake = settingsMistake(json)
  if (mistake === undefined) return {profiles: {}, ...(json as Partial<SettingsFile>)}
  const {keys, problem} = mistake
  const place = sanitizeLine(keys.join('.') || 'the whole file', 120)
  // A missing key has no line, so the line of its object is reported.
  const line = lineOf(text, problem === MISSING ? keys.slice(0, -1) : keys)
  throw invalid(`${path}, line ${line}:`, `${place} ${problem}`)
}

function invalid(place: string, what: string): Failure {
  return usage('settings_invalid', `${place} ${what}`, FIX)
}
