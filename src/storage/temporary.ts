/**
 * Temporary files are named after the process that makes them, so that whoever writes in the same directory next can tell
 * what a killed one left there, and removes it: it may hold a secret.
 */
import {readdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {createOwner, isOwnerAlive} from './owner.js'

const NAME = /^\.bookctl-(\d+)-(\d*)-([0-9a-f-]{36})\.tmp$/

/** The path of a new one in `directory`. */
export function temporaryPath(directory: string): string {
  return join(directory, `.bookctl-${createOwner().replaceAll(':', '-')}.tmp`)
}

/** Removes those in `directory` whose maker no longer runs. What cannot be looked at or removed stays, without a word. */
export function sweepTemporaryFiles(directory: string): void {
  try {
    for (const name of readdirSync(directory)) if (isLeft(name)) rmSync(join(directory, name), {force: true})
  } catch {
    // Of another user, or the disk is read-only: what is to be written there will say so.
  }
}

function isLeft(name: string): boolean {
  const [match, pid, started, id] = NAME.exec(name) ?? []
  return match !== undefined && !isOwnerAlive(`${pid}:${started}:${id}`, '')
}
