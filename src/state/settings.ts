/**
 * config.json: profiles and defaults, for people to read and edit; no secret is in it. Every command reads it at its
 * start. A file that is not valid is refused with the line of the mistake, and never changed. Changes are made under a
 * lock, so none is lost.
 */
import {closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs'
import {dirname, join} from 'node:path'
import type {ErrorObject} from 'ajv'
import {type Failure, usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import {own} from '../contract/json.js'
import {lineOf, mistakeIn, repeatedKeyLine} from '../contract/json-mistake.js'
import {MISSING, TYPES} from '../contract/plain-messages.js'
import {StorageError, storageErrorOf} from '../storage/errors.js'
import {
  ensurePrivateDirectory,
  isOfAnother,
  tighten,
  tightenDirectory,
  writeWholeFile,
} from '../storage/files.js'
import {withLock} from '../storage/lock.js'
import {PATIENCE_MILLISECONDS} from '../storage/sqlite.js'
import {SETTINGS_NAME} from './file-names.js'
import type {SettingsEditor, SettingsStage} from './settings-change.js'
import {schema, validate} from './settings-check.js'
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

const MAX_BYTES = 1024 * 1024
const MEND = 'fix the file, or move it away to start with a new one; it was not changed'

/**
 * The text of the file at `path`, or undefined when there is none. Follows no symbolic link. `mayTighten`: whether others
 * lose what they may do with it. Throws Failure.
 */
export function readSettingsText(path: string, mayTighten: boolean): string | undefined {
  const stats = statsOf(path)
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw invalid(path, 'is not a regular file (a symbolic link or a directory is never followed)')
  const bytes = readRegularFile(path, mayTighten)
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes)
  } catch {
    throw invalid(path, 'is not UTF-8 text')
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch (error) {
    // In a directory that may not be looked into there is no file of ours, as in one that is not there.
    if (['ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw storageErrorOf(error, path)
  }
}

function readRegularFile(path: string, mayTighten: boolean): Uint8Array {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const stats = fstatSync(file)
      if (stats.size > MAX_BYTES) throw invalid(path, 'is larger than 1 MiB')
      if (isOfAnother(path, stats)) throw invalid(path, 'belongs to another user, who could change it')
      if (mayTighten) {
        tighten(file, stats)
        tightenItsDirectory(path)
      }
      return readFileSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ELOOP')
      throw invalid(path, 'is not a regular file (a symbolic link or a directory is never followed)')
    throw code === undefined || isFailure(error) ? error : invalid(path, `cannot be read (${code})`)
  }
}

/** Reading goes on where the system forbids this; writing there reports it. */
function tightenItsDirectory(path: string): void {
  try {
    tightenDirectory(dirname(path))
  } catch {
    // Reported by `doctor`, too.
  }
}

/** The settings written in `text`, which is or will be the file at `path`. Throws Failure naming the line that is wrong. */
export function parseSettings(text: string, path: string): SettingsFile {
  if (text.startsWith('\uFEFF'))
    throw invalid(path, 'begins with a byte order mark; save it as UTF-8 without one')
  const json = parseJson(text, path)
  // JSON.parse takes the last of them, and the next writer would drop the others without a word.
  const repeated = repeatedKeyLine(text)
  if (repeated !== undefined)
    throw invalid(`${path}, line ${repeated}`, 'has a key that its object has already; leave one of the two')
  if (validate(json)) return {...json, profiles: json.profiles ?? {}}
  const error = validate.errors?.at(-1) as ErrorObject
  const within = wordsOf(error.instancePath)
  const {key, problem} = mistakeOf(error)
  const keys = key === undefined ? within : [...within, key]
  const place = sanitizeLine(keys.join('.') || 'the whole file', 120)
  // What is missing has no line; the object it is missing in has one.
  const line = lineOf(text, error.keyword === 'required' ? within : keys)
  throw invalid(`${path}, line ${line}:`, `${place} ${problem}`)
}

/** What the validator found, in our words (its own name patterns), and the key it found it at if not the value itself. */
function mistakeOf({schemaPath, keyword, params}: ErrorObject): {key?: string; problem: string} {
  const rule = wordsOf(schemaPath)
    .slice(0, -1)
    .reduce<Rule>((part, word) => own(part, word) as Rule, schema)
  switch (keyword) {
    case 'required':
      return {key: params.missingProperty, problem: MISSING}
    case 'additionalProperties': {
      const known = Object.keys(rule.properties ?? {}).join(', ')
      return {key: params.additionalProperty, problem: `is unknown; known here: ${known}`}
    }
    case 'propertyNames':
      return {key: params.propertyName, problem: `must be ${rule.propertyNames?.description}`}
    case 'type':
      return {problem: `must be ${TYPES[params.type]}`}
    default:
      return {problem: `must be ${rule.description ?? rule.enum?.join(' or ')}`}
  }
}

/** What messages need of a part of the schema. */
interface Rule {
  readonly description?: string
  readonly enum?: readonly string[]
  readonly properties?: object
  readonly propertyNames?: Rule
}

/** The words of a JSON pointer (RFC 6901), as of a URI fragment. */
function wordsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(word => word.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (text.trim() === '') throw invalid(path, 'is empty')
    const {line, column, problem} = mistakeIn(text)
    throw invalid(path, `is not JSON: ${problem} at line ${line}, column ${column}`)
  }
}

function invalid(place: string, what: string): Failure {
  return usage('settings_invalid', `${place} ${what}`, MEND)
}

function isFailure(error: unknown): error is Failure {
  return (error as {name?: unknown}).name === 'Failure'
}
