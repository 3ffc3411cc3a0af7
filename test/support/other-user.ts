/** A user other than root, so that permissions apply; only root can run a program as another user. */
import {spawnSync} from 'node:child_process'
import process from 'node:process'

export const isRoot = process.getuid?.() === 0

/** Ours; user and group. */
export const OTHER_USER = 54_321

/** Why that user cannot run bookctl's `script` with `node`; undefined when that works. */
export function lacksOtherUser(node: string, script: string): string | undefined {
  if (!isRoot) return 'needs root, to be another user'
  const {status} = spawnSync(node, [script, '--version'], {uid: OTHER_USER, gid: OTHER_USER, cwd: '/'})
  return status === 0 ? undefined : 'needs a tree that another user may read'
}
