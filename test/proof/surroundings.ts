/**
 * Surroundings: the first commands of a user in other locales, homes, directories and modes. They work the same everywhere, or
 * the message says what to do. To try another Node: `npx -p node@24 node --import tsx test/proof/main.ts`.
 */
import {type ExecFileOptions, execFile} from 'node:child_process'
import {chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {ENTRY, type Finished} from '../support/bookctl.js'
import {isRoot, lacksOtherUser, OTHER_USER} from '../support/other-user.js'
import {hasStack} from '../support/stack.js'
import {SEARCH} from '../support/stay.js'
import {EVENT, SIGNING_SECRET, signatureOf} from '../support/webhook-files.js'
import {openSandbox} from './shared/home.js'
import {type Own, part} from './shared/part.js'
import {booking, CREDENTIALS, Side, shown} from './shared/scene.js'

const MOST_MILLISECONDS = 180_000

interface Surroundings {
  readonly name: string
  /** Variables in addition to PATH, HOME, TMPDIR and those of the sandbox. */
  readonly env?: (root: string) => Record<string, string | undefined>
  /** Whether a reservation can be recorded (default true). If it cannot, `reserve` refuses before it sends a request. */
  readonly keeps?: boolean
  /** Whether there is no directory for temporary files. `demo` then says so. */
  readonly hasNoTemporary?: boolean
  readonly asOtherUser?: boolean
  /** Whether the working directory is removed before the start. */
  readonly isGone?: boolean
}

const withEnv = (
  name: string,
  env: Record<string, string | undefined>,
  more: Partial<Surroundings> = {},
) => ({name, env: () => env, ...more})
const locale = (LANG: string, TZ?: string) => withEnv(`LANG=${LANG}`, {LANG, LC_ALL: LANG, TZ})

const ALL: readonly Surroundings[] = [
  withEnv('NODE_ENV=development', {NODE_ENV: 'development'}),
  ...[locale('C'), locale('tr_TR.UTF-8', 'Europe/Istanbul'), locale('ar_EG.UTF-8', 'Pacific/Apia')],
  locale('xx_YY', 'Nowhere/None'),
  withEnv('TERM=dumb', {TERM: 'dumb'}),
  withEnv('an empty PATH', {PATH: ''}),
  withEnv('an empty HOME', {HOME: ''}, {keeps: false}),
  withEnv('a device as HOME', {HOME: '/dev/null'}, {keeps: false}),
  {
    name: 'no directory for temporary files',
    hasNoTemporary: true,
    env: root => ({TMPDIR: join(root, 'nowhere')}),
  },
  {
    name: 'a home with spaces, quotes and other scripts',
    env(root) {
      const HOME = join(root, `ev 'ğ" $HOME 名前 %41\n`)
      mkdirSync(HOME)
      return {HOME}
    },
  },
  {
    // The directory cannot be written, except by root.
    name: 'a home that cannot be written',
    keeps: false,
    asOtherUser: isRoot,
    env(root) {
      chmodSync(join(root, 'home'), 0o555)
      return {}
    },
  },
  withEnv('a user without a home', {HOME: undefined}, {keeps: false, asOtherUser: true}),
  {name: 'a working directory that is gone', isGone: true},
]

interface Bench {
  /** Variables that select the sandbox. */
  readonly service: Readonly<Record<string, string>>
  /** Results that must be the same everywhere, by command. */
  readonly expected: ReadonlyMap<string, string>
}

function run(argv: readonly string[], {cwd = '/', ...options}: ExecFileOptions): Promise<Finished> {
  const limits = {timeout: MOST_MILLISECONDS, killSignal: 'SIGKILL' as const}
  // The shell removes its own working directory and then starts the command.
  const gone = ['-c', 'rmdir "$PWD" 2>&-; exec "$0" "$@"', process.execPath]
  const [file, args] = String(cwd).endsWith('/gone') ? ['/bin/sh', gone] : [process.execPath, []]
  mkdirSync(cwd, {recursive: true})
  return new Promise(resolve => {
    execFile(file, [...args, ENTRY, ...argv], {...options, ...limits, cwd}, (error, stdout, stderr) =>
      resolve({exit: error ? Number(error.code ?? -1) : 0, stdout: String(stdout), stderr: String(stderr)}),
    )
  })
}

/** Runs the first commands of a user in `surroundings`, and returns what is wrong. */
async function tryOut({service, expected}: Bench, own: Own, surroundings: Surroundings): Promise<string[]> {
  const {keeps = true, hasNoTemporary, asOtherUser, isGone} = surroundings
  const root = mkdtempSync(join(tmpdir(), 'bookctl-surroundings-'))
  own({remove: () => rmSync(root, {recursive: true, force: true})})
  const [home, temporary, body] = [join(root, 'home'), join(root, 'tmp'), join(root, 'body.bin')]
  for (const path of [home, temporary]) mkdirSync(path)
  chmodSync(temporary, 0o777)
  writeFileSync(body, EVENT, {mode: 0o644})
  const usual = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: temporary,
    BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET,
  }
  const env = {...usual, ...service, ...surroundings.env?.(root)}
  if (asOtherUser) for (const path of [root, home]) chownSync(path, OTHER_USER, OTHER_USER)
  const options = {cwd: isGone ? join(root, 'gone') : root, env, ...(asOtherUser && {uid: OTHER_USER})}
  const wrong: string[] = []
  const check = async (argv: readonly string[], isRight: (ended: Finished) => boolean) => {
    const ended = await run(argv, options)
    const {stdout, stderr} = ended
    if (!isRight(ended) || hasStack(stdout + stderr))
      wrong.push(`${argv.slice(0, 3).join(' ')}:`, shown(ended))
    return stdout.trim()
  }
  const isWell = (words: string) => (ended: Finished) => ended.exit === 0 && ended.stdout.includes(words)
  for (const [text, result] of expected)
    await check(text.split(' '), ({exit, stdout, stderr}) => exit === 0 && stderr === '' && stdout === result)
  const T = 1_700_000_000
  const signed = ['--signature', signatureOf(EVENT, T), '--at', String(T), '--json']
  await check(['webhooks', 'verify', body, ...signed], isWell('"valid": true'))
  const offer = await check([...SEARCH, '--limit', '1', '--quiet'], isWell('off_'))
  const isRefused = ({exit, stdout}: Finished) => exit === 2 && stdout.includes('journal_not_writable')
  await check(booking(offer, ['--json']), keeps ? isWell('"outcome": "confirmed"') : isRefused)
  const saysSo = ({exit, stderr}: Finished) => exit === 2 && /set TMPDIR/.test(stderr)
  await check(['demo'], hasNoTemporary ? saysSo : isWell('Done.'))
  const left = readdirSync(temporary).filter(name => !name.startsWith('node-'))
  return [...wrong, ...left.map(name => `left in the place of temporary files: ${name}`)]
}

const SAME = ['hotels search --help', 'content currencies --format csv']

async function open() {
  const {origin, baseUrl, close} = await openSandbox()
  const reference = await new Side(origin).reservation()
  const service = {...CREDENTIALS, BOOKCTL_BASE_URL: baseUrl}
  const expected = new Map<string, string>()
  for (const text of [...SAME, `reservations show ${reference}`])
    expected.set(text, (await run(text.split(' '), {env: {PATH: process.env.PATH, ...service}})).stdout)
  return {service, expected, close}
}

const lacks = lacksOtherUser(process.execPath, ENTRY)

export const surroundings = part<Bench>({
  title: 'Surroundings',
  cells: ALL.filter(({asOtherUser}) => !asOtherUser || !lacks).map(each => ({
    name: each.name,
    group: 'surroundings',
    // The sample uses this cell because its demo is refused, which is fast.
    isSample: each.hasNoTemporary === true,
    run: (bench, _, own) => tryOut(bench, own, each),
  })),
  open,
  leftOut: lacks ? [`another user: ${lacks}`] : [],
})
