/**
 * Disks and directories that do not take what is written: full ones, a limit on the size of files, mounted to be read,
 * without the right to write. Each is a way to run a command; what this machine cannot do is said, and left out.
 */
import {execFileSync, spawnSync} from 'node:child_process'
import {chmodSync, lchownSync, mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import type {RunOptions} from '../support/bookctl.js'
import {isRoot, lacksOtherUser, OTHER_USER} from '../support/other-user.js'
import type {FileHome} from './file-home.js'

export interface Disk {
  readonly name: string
  readonly group: 'full disks' | 'locked disks' | 'umask'
  /** Why it cannot be had on this machine. */
  readonly lacks?: () => string | undefined
  /** Nobody can tell what lies there, nor whether anything does: then there are no profiles. */
  readonly isBlind?: boolean
  /** Makes it, around the home; returns how to run there, and what brings back what was written. */
  readonly make: (home: FileHome) => {readonly options: RunOptions; readonly after: () => void}
}

const ENTRY = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

function once<T>(compute: () => T): () => T {
  let known: {value: T} | undefined
  return () => {
    known ??= {value: compute()}
    return known.value
  }
}

/** Words that give the rest a view of the disk of its own, where it may mount. */
const ownView = once(() => {
  const candidates = [...(isRoot ? [['unshare', '-m']] : []), ['unshare', '-rm']]
  const script = 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d && rmdir $d'
  return candidates.find(
    ([command = '', ...words]) => spawnSync(command, [...words, 'sh', '-c', script]).status === 0,
  )
})

const needsOwnView = () => (ownView() ? undefined : 'needs root or user namespaces, to mount')

const lacksUser = once(() => lacksOtherUser(process.execPath, ENTRY))
const needsUser = () => (isRoot ? lacksUser() : undefined)

/** Runs the rest, hands on SIGTERM to it, then takes the ballast away and copies out what lies there. */
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

/** A disk seen by the command alone; what it left there is then put in place of the home's own content. */
function inOwnView(home: FileHome, script: string, leftBlocks: number) {
  const stage = mkdtempSync(join(tmpdir(), 'bookctl-stage-'))
  const result = mkdtempSync(join(tmpdir(), 'bookctl-result-'))
  const words = [stage, home.directory, result, String(leftBlocks)]
  return {
    options: {before: [...(ownView() ?? []), 'sh', '-c', script, 'sh', ...words], stage},
    after() {
      if (readdirSync(result).length === 0) throw new Error('the disk could not be made')
      for (const name of readdirSync(home.directory)) rmSync(join(home.directory, name), {recursive: true})
      // Some Nodes copy a directory without its permissions.
      execFileSync('cp', ['-a', `${result}/.`, home.directory])
      for (const directory of [stage, result]) rmSync(directory, {recursive: true, force: true})
    },
  }
}

export const BLOCK_KILOBYTES = 4

/** `kilobytes` are left. */
const full = (kilobytes: number): Disk => ({
  name: `${kilobytes} kB left`,
  group: 'full disks',
  lacks: needsOwnView,
  make: home => inOwnView(home, FULL, kilobytes / BLOCK_KILOBYTES),
})

/** No file may be written beyond `kilobytes` (RLIMIT_FSIZE): what a quota does, with another error. */
const limited = (kilobytes: number): Disk => ({
  name: `files of ${kilobytes} kB at most`,
  group: 'full disks',
  make: () => ({
    options: {before: ['bash', '-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash']},
    after() {},
  }),
})

function giveTo(user: number, home: FileHome): void {
  for (const name of ['', ...(readdirSync(home.directory, {recursive: true}) as string[])])
    lchownSync(join(home.directory, name), user, user)
}

/** Gives the home to another user, where this one is root. */
function given(home: FileHome): RunOptions {
  if (!isRoot) return {}
  giveTo(OTHER_USER, home)
  return {user: OTHER_USER}
}

function takenBack(home: FileHome): void {
  if (isRoot) giveTo(0, home)
}

const withModes = (
  name: string,
  change: (home: FileHome) => void,
  restore: (home: FileHome) => void,
): Disk => ({
  name,
  group: 'locked disks',
  lacks: needsUser,
  make(home) {
    const options = given(home)
    change(home)
    return {
      options,
      after() {
        restore(home)
        takenBack(home)
      },
    }
  },
})

function setModes(home: FileHome, mode: number): void {
  for (const name of readdirSync(home.configDirectory).filter(each => each.includes('.db')))
    chmodSync(home.path(name), mode)
}

const LEFT = [0, 4, 8, 16, 24, 32, 48, 64, 96, 128]
const LIMITS = [0, 1, 4, 8, 16, 24, 32, 48, 64]

export const FULL_DISKS: readonly Disk[] = [...LEFT.map(full), ...LIMITS.map(limited)]

export const LOCKED_DISKS: readonly Disk[] = [
  {
    name: 'mounted to be read',
    group: 'locked disks',
    lacks: needsOwnView,
    make: home => inOwnView(home, READ_ONLY, 0),
  },
  withModes(
    'a directory that may not be written',
    home => chmodSync(home.configDirectory, 0o500),
    home => chmodSync(home.configDirectory, 0o700),
  ),
  {
    ...withModes(
      'a directory that may not be looked into',
      home => chmodSync(home.configDirectory, 0),
      home => chmodSync(home.configDirectory, 0o700),
    ),
    isBlind: true,
  },
  withModes(
    'databases that may not be written',
    home => setModes(home, 0o400),
    home => setModes(home, 0o600),
  ),
  withModes(
    'databases that may not be read',
    home => setModes(home, 0),
    home => setModes(home, 0o600),
  ),
  {
    name: 'a directory that may not be changed (immutable)',
    group: 'locked disks',
    lacks: once(() => {
      const directory = mkdtempSync(join(tmpdir(), 'bookctl-immutable-'))
      const isOne = spawnSync('chattr', ['+i', directory]).status === 0
      if (isOne) execFileSync('chattr', ['-i', directory])
      rmSync(directory, {recursive: true})
      return isOne ? undefined : 'needs chattr +i'
    }),
    make(home) {
      execFileSync('chattr', ['+i', home.configDirectory])
      return {options: {}, after: () => void execFileSync('chattr', ['-i', home.configDirectory])}
    },
  },
]

/** Nothing is wrong with these: what is made is private whatever the umask is, and whatever was there before. */
export const ODD_MASKS: readonly Disk[] = ['000', '077', '022'].map(mask => ({
  name: `umask ${mask}`,
  group: 'umask' as const,
  make: () => ({options: {before: ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh']}, after() {}}),
}))
