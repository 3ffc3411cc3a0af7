/** Where a command may find itself: locales, homes, directories and modes of others' machines, and what it must do there. */
import {execFile} from 'node:child_process'
import {chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {isRoot, OTHER_USER} from '../support/other-user.js'
import {hasStack} from '../support/stack.js'
import {GUESTS, SEARCH} from '../support/stay.js'
import {EVENT, SIGNING_SECRET, signatureOf} from '../support/webhook-files.js'

/** Ours, for the demo on a busy machine; what takes longer is killed, and ends with -1. */
const MOST_MILLISECONDS = 180_000

/** A place in the file system that a surrounding may make its own. */
interface Place {
  readonly root: string
  readonly home: string
}

interface Ground {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The user that runs it, where this process may choose. */
  readonly uid?: number
  readonly cwd?: string
}

export interface Surroundings {
  readonly name: string
  /** False where no reservation can be written down: `reserve` then refuses before it asks anything. */
  readonly keeps: boolean
  /** True where nothing can be put aside: `demo` then says so. */
  readonly hasNoTemporary?: boolean
  /** True where another user runs it, whom only root can be: others pass it over. */
  readonly asOtherUser?: boolean
  make(place: Place): Ground
}

const withEnv = (name: string, env: Record<string, string | undefined>, keeps = true): Surroundings => ({
  ...{name, keeps},
  make: () => ({env}),
})

/** The first is an ordinary one, which the others are held against. */
const SURROUNDINGS: readonly Surroundings[] = [
  withEnv('nothing special', {}),
  withEnv('NODE_ENV=development', {NODE_ENV: 'development'}),
  withEnv('LANG=C', {LANG: 'C', LC_ALL: 'C'}),
  withEnv('LANG=tr_TR.UTF-8', {LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Europe/Istanbul'}),
  withEnv('LANG=ar_EG.UTF-8', {LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8', TZ: 'Pacific/Apia'}),
  withEnv('a locale and a zone that are none', {LANG: 'xx_YY', LC_ALL: 'xx_YY', TZ: 'Nowhere/None'}),
  withEnv('TERM=dumb', {TERM: 'dumb'}),
  withEnv('an empty PATH', {PATH: ''}),
  withEnv('HOME that is empty', {HOME: ''}, false),
  withEnv('HOME that is a device', {HOME: '/dev/null'}, false),
  {
    name: 'no directory for temporary files',
    keeps: true,
    hasNoTemporary: true,
    make: ({root}) => ({env: {TMPDIR: join(root, 'nowhere')}}),
  },
  {
    name: 'a home with spaces, quotes and other scripts',
    keeps: true,
    make({root}) {
      const home = join(root, `ev 'ğ" $HOME 名前 %41\n`)
      mkdirSync(home)
      return {env: {HOME: home}}
    },
  },
  {
    // Root can write it all the same.
    name: 'a home that cannot be written',
    ...{keeps: false, asOtherUser: isRoot},
    make({home}) {
      chmodSync(home, 0o555)
      return isRoot ? {uid: OTHER_USER} : {}
    },
  },
  {
    name: 'a user without a home',
    ...{keeps: false, asOtherUser: true},
    make: () => ({uid: OTHER_USER, env: {HOME: undefined}}),
  },
  {
    name: 'a working directory that is gone',
    keeps: true,
    make({root}) {
      const gone = join(root, 'gone')
      mkdirSync(gone)
      return {cwd: gone}
    },
  },
]

/** A way to call bookctl: the Node that runs it and the script it runs. */
export interface Installed {
  readonly node: string
  readonly script: string
}

interface Ended {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** Results that must be the same everywhere, byte for byte; so must be the reservation of the world. */
const SAME: readonly (readonly string[])[] = [
  ['--version'],
  ['help'],
  ['hotels', 'search', '--help'],
  ['content', 'countries', '--json'],
  ['content', 'currencies', '--format', 'csv'],
]

/** What all trials share. */
export interface World {
  /** Variables that point at the service. */
  readonly service: Readonly<Record<string, string>>
  /** A reservation there. */
  readonly reference: string
  /** The results that must be the same everywhere, by command; filled by the first trial. */
  readonly expected: Map<string, string>
  /** Whether the demo is run as well, the longest of all. */
  readonly isWhole: boolean
}

/** Runs what a user does first in `surroundings`; returns what is wrong, one line each. */
export async function tryOut(
  installed: Installed,
  surroundings: Surroundings,
  {service, reference, expected, isWhole}: World,
): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'bookctl-surroundings-'))
  const home = join(root, 'home')
  mkdirSync(home)
  const ground = surroundings.make({root, home})
  if (ground.uid !== undefined) for (const path of [root, home]) chownSync(path, ground.uid, ground.uid)
  const temporary = join(root, 'tmp')
  mkdirSync(temporary, {mode: 0o777})
  chmodSync(temporary, 0o777)
  const own = {PATH: process.env.PATH, HOME: home, TMPDIR: temporary, ...service, ...ground.env}
  const run = (argv: readonly string[], env: Record<string, string> = {}): Promise<Ended> => {
    const {node, script} = installed
    const limit = {timeout: MOST_MILLISECONDS, killSignal: 'SIGKILL' as const}
    const options = {env: {...own, ...env}, uid: ground.uid, cwd: ground.cwd ?? root, ...limit}
    return new Promise(resolve => {
      // A directory that is gone is left by the shell that stands in it.
      const [file, args] = ground.cwd
        ? ['/bin/sh', ['-c', 'rmdir "$PWD" 2>&-; exec "$0" "$@"', node]]
        : [node, []]
      if (ground.cwd) mkdirSync(ground.cwd, {recursive: true})
      execFile(file as string, [...(args as string[]), script, ...argv], options, (error, stdout, stderr) =>
        resolve({exit: error ? Number(error.code ?? -1) : 0, stdout, stderr}),
      )
    })
  }
  const wrong: string[] = []
  const check = (argv: readonly string[], {exit, stdout, stderr}: Ended, isRight: boolean) => {
    const isClean = !hasStack(stdout + stderr)
    if (!isRight || !isClean)
      wrong.push(
        `${argv.slice(0, 3).join(' ')}: exit ${exit}: ${stdout.slice(0, 300)} | ${stderr.slice(0, 500)}`,
      )
  }
  try {
    for (const argv of [...SAME, ['reservations', 'show', reference]]) {
      const ended = await run(argv)
      const name = argv.join(' ')
      if (!expected.has(name)) expected.set(name, ended.stdout)
      check(argv, ended, ended.exit === 0 && ended.stderr === '' && ended.stdout === expected.get(name))
    }
    const body = join(root, 'body.bin')
    writeFileSync(body, EVENT, {mode: 0o644})
    const T = 1_700_000_000
    const verify = [
      'webhooks',
      'verify',
      body,
      '--signature',
      signatureOf(EVENT, T),
      '--at',
      String(T),
      '--json',
    ]
    const verified = await run(verify, {BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET})
    check(verify, verified, verified.exit === 0 && JSON.parse(verified.stdout).valid === true)
    const searched = await run([...SEARCH, '--limit', '1', '--quiet'])
    const offer = searched.stdout.trim()
    check(SEARCH, searched, searched.exit === 0 && /^off_\S+$/.test(offer))
    const reserve = ['reserve', offer, '--pay', 'account', '--nationality', 'TR', ...GUESTS, '--json']
    const reserved = await run(reserve)
    if (surroundings.keeps)
      check(reserve, reserved, reserved.exit === 0 && reserved.stdout.includes('"outcome": "confirmed"'))
    else check(reserve, reserved, reserved.exit === 2 && reserved.stdout.includes('journal_not_writable'))
    const demo = isWhole || surroundings.hasNoTemporary ? await run(['demo']) : undefined
    if (demo && surroundings.hasNoTemporary)
      check(['demo'], demo, demo.exit === 2 && /set TMPDIR/.test(demo.stderr))
    else if (demo) check(['demo'], demo, demo.exit === 0 && demo.stdout.includes('Done.'))
    wrong.push(...leftIn(temporary).map(name => `left behind in the place of temporary files: ${name}`))
  } finally {
    rmSync(root, {recursive: true, force: true})
  }
  return wrong
}

/** What lies in the directory of temporary files but Node's own. */
function leftIn(directory: string): string[] {
  return readdirSync(directory).filter(name => !name.startsWith('node-'))
}

/** Those that this user can make. */
export function possibleSurroundings(): Surroundings[] {
  return SURROUNDINGS.filter(({asOtherUser}) => !asOtherUser || isRoot)
}
