/**
 * Temporary files and directories are named after the process that makes them, so that whoever writes in the same
 * directory next can tell what a killed one left there, and removes it: it may hold a secret.
 */
import {lstatSync, mkdirSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {StorageError, storageErrorOf} from './errors.js'
import {createOwner, fateOf} from './owner.js'

const NAME = /^\.bookctl-(\d+)-(\d*)-([0-9a-f-]{36})(?:-([\w.-]+))?\.tmp$/

/** Ours: when a file of which nobody here can tell whether it is still written, in another container say, is left. */
const LEFT_AFTER_MILLISECONDS = 24 * 60 * 60 * 1000

/** The path of a new one in `directory`. */
export function temporaryPath(directory: string): string {
  return join(directory, `.bookctl-${createOwner().replaceAll(':', '-')}.tmp`)
}

/**
 * Removes those of this user in `directory` whose maker no longer runs. What is another's stays: in a directory that all
 * may write to, its owner could put a link in the place of what is being removed. So does what cannot be looked at or
 * removed, without a word.
 */
export function sweepTemporaryFiles(directory: string): void {
  for (const name of namesIn(directory)) {
    try {
      const path = join(directory, name)
      if (isLeft(name, path) && isOwn(path)) rmSync(path, {recursive: true, force: true})
    } catch {
      // What is to be written beside it will say what is in its way.
    }
  }
}

function isOwn(path: string): boolean {
  const own = process.geteuid?.()
  return own === undefined || lstatSync(path).uid === own
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function isLeft(name: string, path: string): boolean {
  const [match, ...words] = NAME.exec(name) ?? []
  if (match === undefined) return false
  const fate = fateOf(words.filter(word => word !== undefined).join(':'), '')
  return fate === 'gone' || (fate === 'elsewhere' && isOld(path))
}

function isOld(path: string): boolean {
  return Date.now() - lstatSync(path).mtimeMs > LEFT_AFTER_MILLISECONDS
}

/** Once a process: what it made itself since then is in use. */
let isSwept = false

/** Makes it, 0700, and returns its path; those of killed processes are removed. Throws StorageError when it cannot. */
export function makeTemporaryDirectory(): string {
  try {
    if (!isSwept) sweepTemporaryFiles(tmpdir())
    isSwept = true
    const directory = temporaryPath(tmpdir())
    mkdirSync(directory, {mode: 0o700})
    return directory
  } catch (error) {
    const {fault, cause} = storageErrorOf(error, tmpdir())
    const hint = 'set TMPDIR to a directory that can be written and has room'
    throw new StorageError(fault, `cannot make a directory for temporary files in ${tmpdir()}`, hint, {cause})
  }
}
