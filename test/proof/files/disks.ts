/**
 * Disks and directories that do not take what is written: full, limited in the size of files, read-only, without the right
 * to write. Each is a way to run a command; what this machine cannot do is left out, with the reason.
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
  /** Why this machine cannot have it. */
  readonly lacks?: string | undefined
  /** Whether anything is there cannot be seen: then there are no profiles. */
  readonly isBlind?: boolean
  /** Makes it around the home; returns how to run there, and what brings back what was written. */
  readonly make: (home: FileHome) => {readonly options: RunOptions; readonly after: () => void}
}

/** Words that give the rest a view of the disk of its own, where it may mount. */
const OWN_VIEW = [...(isRoot ? [['unshare', '-m']] : []), ['unshare', '-rm']].find(
  ([file = '', ...words]) => {
    const script = 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d && rmdir $d'
    return spawnSync(file, [...words, 'sh', '-c', script]).status === 0
  },
)
const lacksView = OWN_VIEW ? undefined : 'needs root or user namespaces, to mount'
const lacksUser = isRoot ? lacksOtherUser(process.execPath, ENTRY) : undefined

/** Runs the rest, passes SIGTERM on to it, then removes the ballast and copies out what is there. */
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

/** A disk that only the command sees; what it left there then replaces the content of the home. */
const inOwnView = (script: string, leftBlocks: number) => (home: FileHome) => {
  const stage = mkdtempSync(join(tmpdir(), 'bookctl-stage-'))
  const result = mkdtempSync(join(tmpdir(), 'bookctl-result-'))
  const words = [stage, home.directory, result, String(leftBlocks)]
  return {
    options: {before: [...(OWN_VIEW ?? []), 'sh', '-c', script, 'sh', ...words]},
    after() {
      if (readdirSync(result).length === 0) throw new Error('the disk could not be made')
      for (const name of readdirSync(home.directory)) rmSync(join(home.directory, name), {recursive: true})
      // Some Nodes copy a directory without its permissions.
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

/** Paths of the home with `mode`, as a user whom permissions stop, which root is not. */
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
  // What a quota does, with another error.
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
  // What is made is private whatever the umask.
  ...['000', '077', '022'].map(
    (mask): Disk => ({
      name: `umask ${mask}`,
      group: 'umask',
      make: before('sh', '-c', `umask ${mask}; exec "$@"`, 'sh'),
    }),
  ),
]
