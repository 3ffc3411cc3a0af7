/** A user other than root, because permissions do not apply to root. Only root can run a program as another user. */
import {spawnSync} from 'node:child_process'
import process from 'node:process'

export const isRoot = process.getuid?.() === 0

/** The user and group id that tests use. */
export const OTHER_USER = 54_321

/** Returns why that user cannot run bookctl's `script` with `node`; undefined if it can. */
export function lacksOtherUser(node: string, script: string): string | undefined {
  if (!isRoot) return 'needs root, to be another user'
  const {status} = spawnSync(node, [script, '--version'], {uid: OTHER_USER, gid: OTHER_USER, cwd: '/'})
  return status === 0 ? undefined : 'needs a tree that another user may read'
}
