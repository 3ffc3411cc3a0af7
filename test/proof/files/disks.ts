/**
 * Disks and directories that cannot be written: full, with a limited file size, read-only, or without permission. Each is a way
 * to run a command. Ways that this machine does not support are left out with the reason.
 */
import {execFileSync, spawnSync} from 'node:child_process'
import {chmodSync, lchownSync, mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {ENTRY, type RunOptions} from '../../support/bookctl.js'
import {isRoot, lacksOtherUser, OTHER_USER} from '../../support/other-user.js'
import type {FileHome} from './home.js'

export interface Disk {
  readonly name: string
  readonly group: 'full disks' | 'locked disks' | 'umask'
  /** The reason why this machine cannot provide the disk. */
  readonly lacks?: string | undefined
  /** Whether the command cannot see if files exist. It then behaves as if there were no profiles. */
  readonly isBlind?: boolean
  /**
   * Prepares the disk around the home. Returns the options for running there, and a function that copies back what was written.
   */
  readonly make: (home: FileHome) => {readonly options: RunOptions; readonly after: () => void}
}

/** A command prefix that gives its arguments their own view of the disk, if this machine allows mounting. */
const OWN_VIEW = [...(isRoot ? [['unshare', '-m']] : []), ['unshare', '-rm']].find(
  ([file = '', ...words]) => {
    const script = 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d && rmdir $d'
    return spawnSync(file, [...words, 'sh', '-c', script]).status === 0
  },
)
const lacksView = OWN_VIEW ? undefined : 'needs root or user namespaces, to mount'
const lacksUser = isRoot ? lacksOtherUser(process.execPath, ENTRY) : undefined

/** Runs its arguments, passes SIGTERM on to them, then removes the ballast and copies out the result. */
const RUN_AND_COPY = `
  "$@" & pid=$!
  trap 'kill -TERM $pid' TERM
  wait $pid; code=$?
  if kill -0 $pid 2>/dev/null; then wait $pid; code=$?; fi
  rm -f "$stage/ballast"
  cp -a "$home/." "$result/"
  exit $code`

const FULL = `
  stage=$1 home=$2 result=$3 left=$4; shift 4
  mount -t tmpfs -o size=8m,mode=755 tmpfs "$stage" && cp -a "$home" "$stage/home" || exit 99
  blocks=$(($(stat -f -c %a "$stage") - left))
  dd if=/dev/zero of="$stage/ballast" bs=4096 count=$blocks 2>/dev/null
  mount --bind "$stage/home" "$home" && cd "$home" || exit 99
  ${RUN_AND_COPY}`

const READ_ONLY = `
  stage=$1 home=$2 result=$3; shift 4
  mount --bind "$home" "$home" && mount -o remount,bind,ro "$home" && cd "$home" || exit 99
  ${RUN_AND_COPY}`

/** Returns a disk that only the command sees. What the command leaves on it then replaces the content of the home. */
const inOwnView = (script: string, leftBlocks: number) => (home: FileHome) => {
  const stage = mkdtempSync(join(tmpdir(), 'bookctl-stage-'))
  const result = mkdtempSync(join(tmpdir(), 'bookctl-result-'))
  const words = [stage, home.directory, result, String(leftBlocks)]
  return {
    options: {before: [...(OWN_VIEW ?? []), 'sh', '-c', script, 'sh', ...words]},
    after() {
      if (readdirSync(result).length === 0) throw new Error('the disk could not be made')
      for (const name of readdirSync(home.directory)) rmSync(join(home.directory, name), {recursive: true})
      // Some versions of Node copy directories without their permissions.
      execFileSync('cp', ['-a', `${result}/.`, home.directory])
      for (const directory of [stage, result]) rmSync(directory, {recursive: true, force: true})
    },
  }
}

const before =
  (...words: string[]) =>
  () => ({options: {before: words}, after() {}})

function giveTo(user: number, home: FileHome): void {
  for (const name of ['', ...(readdirSync(home.directory, {recursive: true}) as string[])])
    lchownSync(join(home.directory, name), user, user)
}

/** Changes modes of paths in the home, and runs as another user, because permissions do not restrict root. */
const withModes = (
  name: string,
  mode: number,
  pathsOf: (home: FileHome) => string[],
  more: Partial<Disk> = {},
): Disk => ({
  name,
  group: 'locked disks',
  lacks: lacksUser,
  ...more,
  make(home) {
    if (isRoot) giveTo(OTHER_USER, home)
    for (const path of pathsOf(home)) chmodSync(path, mode)
    return {
      options: isRoot ? {user: OTHER_USER} : {},
      after() {
        for (const path of pathsOf(home)) chmodSync(path, path === home.configDirectory ? 0o700 : 0o600)
        if (isRoot) giveTo(0, home)
      },
    }
  },
})
const directoryOf = (home: FileHome) => [home.configDirectory]
const databasesOf = (home: FileHome) =>
  readdirSync(home.configDirectory).flatMap(name => (name.includes('.db') ? home.path(name) : []))

export const DISKS: readonly Disk[] = [
  ...[0, 4, 8, 16, 24, 32, 48, 64, 96, 128].map(
    (kilobytes): Disk => ({
      name: `${kilobytes} kB left`,
      group: 'full disks',
      lacks: lacksView,
      make: inOwnView(FULL, kilobytes / 4),
    }),
  ),
  // Similar to a quota, but with another error.
  ...[0, 1, 4, 8, 16, 24, 32, 48, 64].map(
    (kilobytes): Disk => ({
      name: `files of ${kilobytes} kB at most`,
      group: 'full disks',
      make: before('bash', '-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash'),
    }),
  ),
  {name: 'mounted read-only', group: 'locked disks', lacks: lacksView, make: inOwnView(READ_ONLY, 0)},
  withModes('a directory that cannot be written', 0o500, directoryOf),
  withModes('a directory that cannot be entered', 0, directoryOf, {isBlind: true}),
  withModes('databases that cannot be written', 0o400, databasesOf),
  withModes('databases that cannot be read', 0, databasesOf),
  // Files are created private with every umask.
  ...['000', '077', '022'].map(
    (mask): Disk => ({
      name: `umask ${mask}`,
      group: 'umask',
      make: before('sh', '-c', `umask ${mask}; exec "$@"`, 'sh'),
    }),
  ),
]
