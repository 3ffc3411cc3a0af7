/**
 * Files: every command that uses our files meets everything that may be in their place, and disks that are full or cannot be
 * written. Afterwards the state is the old or the new one, the message names the file, and no other file was touched. The
 * commands are in commands.ts, what may be in place of a file in forms.ts, the disks in disks.ts, and the home in home.ts.
 */
import {type ChildProcess, spawnSync} from 'node:child_process'
import {existsSync, lstatSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Finished, RunOptions} from '../../support/bookctl.js'
import {hasStack} from '../../support/stack.js'
import {type Reply, replyBytes, Wire} from '../../support/wire.js'
import {type Content, checkDatabases, contentOf, temporaryFiles} from '../shared/home.js'
import {type Cell, type Own, part} from '../shared/part.js'
import {explained, PEOPLE, parse, RESERVE, shown} from '../shared/scene.js'
import {type Errand, FILE_COMMANDS, type FileCommand} from './commands.js'
import {DISKS, type Disk} from './disks.js'
import {FORMS, type Form} from './forms.js'
import {type Bench, DATABASES, FileHome, lookAt, openBench, SECRETS} from './home.js'

/** Reading ten gigabytes of zeros takes long. */
const MOST_MILLISECONDS = 300_000

function run(home: FileHome, {argv, serve}: Errand, options: RunOptions = {}): Promise<Finished> {
  const limited = {limitMilliseconds: MOST_MILLISECONDS, ...options}
  if (!serve) return home.run([...argv, '--json'], limited)
  const {ready, ended, stop} = home.serve(argv, limited)
  void ready.then(line => line && serve(line).finally(stop))
  return ended
}

/** Returns the error in the last document on stdout. */
const errorIn = ({stdout}: Finished): {code?: string; message?: string; hint?: string} =>
  (parse(stdout) ?? parse(stdout.trimEnd().split('\n').at(-1) ?? ''))?.error ?? {}

/** Checks what must hold for every command, however it ends: there is one clear error, and no secret is shown. */
function checkOutput(finished: Finished, {showsPeople, showsSecret}: FileCommand): string[] {
  const {exit, stdout, stderr} = finished
  const hidden = [...(showsSecret ? [] : SECRETS), ...(showsPeople && exit === 0 ? [] : PEOPLE)]
  const {code, message, hint} = errorIn(finished)
  const isWell = exit === 0 || exit === 143
  return [
    ...(exit === 1 || typeof exit === 'string' ? [`ended with ${exit}`] : []),
    ...(hasStack(stdout + stderr) ? ['a stack trace'] : []),
    ...hidden.filter(text => (stdout + stderr).includes(text)).map(text => `shows ${text}`),
    ...(isWell || (code && message && hint) ? [] : ['no error with code, message and hint']),
  ]
}

/**
 * Checks that directories are 0700 and files 0600, and that nothing is left behind. Paths for which `except` is true are not
 * checked.
 */
function checkDirectory(home: FileHome, except: (path: string) => boolean = () => false): string[] {
  if (!existsSync(home.configDirectory)) return []
  const names = ['', ...(readdirSync(home.configDirectory, {recursive: true}) as string[])]
  const isWide = (name: string) => {
    const stats = lstatSync(join(home.configDirectory, name))
    return !except(name) && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0
  }
  return [...temporaryFiles(home), ...names.filter(isWide).map(name => `others may read "${name}"`)]
}

type Run = (bench: Bench, own: Own, command: FileCommand) => Promise<string[]>

/** Adds the errors in the output to `wrong`. If there are any errors, also adds the exit code and the output. */
const reported = (command: FileCommand, finished: Finished, wrong: readonly string[]) =>
  explained([...checkOutput(finished, command), ...wrong], finished)

const runForm =
  (file: string, form: Form): Run =>
  async (bench, own, command) => {
    const home = own(new FileHome(bench))
    const [path, victim] = [home.path(file), join(home.directory, 'victim')]
    const seen = () => [path, victim, `${path}-wal`].map(lookAt)
    form.place(path, victim)
    const before = seen()
    const errand = await command.errand(home, bench.side)
    const finished = await run(home, errand)
    const {exit} = finished
    const isNeeded = command.needs.includes(file)
    const outcome = isNeeded ? form.outcome : 'either'
    const well = command.exit ?? 0
    // An empty database has no secrets and no entries. A command that needs one refuses.
    const exits = {refused: [2], well: [well], fresh: [well, 2, 4], either: [2, well]}[outcome]
    const wrong = exits.includes(Number(exit)) ? [] : [`exit ${exit}, not ${exits.join(' or ')}`]
    const isRefused = exit === 2
    const {code = '', message = ''} = errorIn(finished)
    if (isRefused && outcome !== 'fresh' && !message.includes(file))
      wrong.push(`the message does not name ${file}`)
    if (isRefused && outcome !== 'fresh' && !/^(storage_|settings_invalid)/.test(code))
      wrong.push(`code ${code}`)
    const after = seen()
    const isKept = isRefused && outcome !== 'fresh' ? before.join() === after.join() : before[1] === after[1]
    if (!isKept) wrong.push(`was ${before.join()}, and is ${after.join()}`)
    const isLeft = isRefused || form.keepsMode === true || !isNeeded
    wrong.push(...checkDirectory(home, name => isLeft && name.startsWith(file)))
    wrong.push(...checkDatabases(home, file))
    if (outcome !== 'either' || !isRefused) wrong.push(...((await errand.check?.(finished)) ?? []))
    return reported(command, finished, wrong)
  }

/** Tables that even a refused command may change: it stores tokens and offers it got, and attempts it started. */
const LEARNED = ['access_tokens', 'offers', 'cities', 'reservations', 'subscriptions_begun', 'meta']

/** Numbers that change together with other tables. */
const DERIVED = ['generation', 'journal_digest']

interface Stored {
  readonly settings: string
  readonly databases: readonly (readonly [string, Content | undefined])[]
}

const storedIn = (home: FileHome): Stored => ({
  settings: existsSync(home.path('config.json')) ? readFileSync(home.path('config.json'), 'utf8') : '',
  databases: DATABASES.map(name => [name, contentOf(home.path(name))] as const),
})

/** Checks that a refused command changed nothing else. */
function checkOld({removes = []}: FileCommand, before: Stored, after: Stored): string[] {
  const wrong = before.settings === after.settings ? [] : ['config.json was changed']
  for (const [n, [name, old]] of before.databases.entries()) {
    const now = after.databases[n]?.[1]
    if (now?.integrity !== 'ok') wrong.push(`${name}: ${now?.integrity ?? 'is gone'}`)
    for (const [table, rows] of Object.entries(old?.tables ?? {})) {
      const kept = now?.tables[table] ?? []
      const isSame = LEARNED.includes(table)
        ? rows.every(row => kept.includes(row))
        : rows.join() === kept.join()
      if (!isSame && !DERIVED.includes(table) && !removes.includes(table))
        wrong.push(`${name}: ${table} had ${rows.length} rows, and has ${kept.length}`)
    }
  }
  return wrong
}

/** Checks that nothing is half done, that failures are reported, and that the command works again once there is space. */
const runDisk =
  (disk: Disk): Run =>
  async (bench, own, command) => {
    const home = own(new FileHome(bench))
    const errand = await command.errand(home, bench.side)
    const before = storedIn(home)
    const {options, after} = disk.make(home)
    const finished = await run(home, errand, options).finally(after)
    const {exit} = finished
    const well = command.exit ?? 0
    const wrong: string[] = []
    if (![well, 2, 10, ...(disk.isBlind ? [4] : [])].includes(Number(exit)))
      wrong.push(`exit ${exit}, not ${well} or 2`)
    if (exit === 2) wrong.push(...checkOld(command, before, storedIn(home)))
    if (exit === 2 && !disk.isBlind) {
      const {code = '', message = '', hint = ''} = errorIn(finished)
      if (!/^(storage_|journal_|settings_invalid|cannot_write|invalid_input)/.test(code))
        wrong.push(`code ${code}`)
      if (!/config|the directory \/|\.pdf|\.har|\.zip/.test(message)) wrong.push('the message names no file')
      if (!/space|writable|readable|disk|BOOKCTL_CONFIG_DIR|file/.test(hint))
        wrong.push('the hint does not help')
    }
    wrong.push(...checkDirectory(home), ...((await errand.check?.(finished)) ?? []))
    if (exit !== well) {
      const again = await run(home, errand)
      if (again.exit !== well) wrong.push(`with room it ends with ${again.exit}`, shown(again))
      wrong.push(...((await errand.check?.(again)) ?? []))
    }
    return reported(command, finished, wrong)
  }

/**
 * A disk that fills up while the answer is on its way. The user must see what was done, and find it again once there is space.
 */
interface Filling {
  readonly path: RegExp
  readonly exits: readonly number[]
  /** Matches what the result must contain. */
  readonly shows?: RegExp
}

const FILLINGS: Readonly<Record<string, Filling>> = {
  reserve: {path: RESERVE.path, exits: [0], shows: /"outcome": "confirmed"/},
  'webhooks create': {path: /\/webhooks\/subscriptions$/, exits: [10], shows: /whsec_/},
  token: {path: /\/oauth\/token$/, exits: [0], shows: /access_token/},
  account: {path: /\/oauth\/token$/, exits: [0], shows: /balance/},
  login: {path: /\/oauth\/token$/, exits: [2]},
  'hotels search': {path: /\/hotels\/search$/, exits: [0, 2]},
  'voucher download': {path: /\/vouchers\//, exits: [2]},
  'api --har': {path: /\/account$/, exits: [0], shows: /balance/},
}

const runFilling =
  ({path, exits, shows}: Filling): Run =>
  async (bench, own, command) => {
    const home = own(new FileHome(bench))
    const wire = own(await Wire.start({upstream: bench.side.origin}))
    const config = home.path('config.json')
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll(bench.side.origin, wire.origin))
    let pid = 0
    const onStart = (child: ChildProcess) => {
      pid = child.pid ?? 0
    }
    const play = function* (reply: Reply) {
      spawnSync('prlimit', ['--pid', String(pid), '--fsize=0:'])
      yield replyBytes(reply)
    }
    wire.strike = {path, fault: {forwards: true, play}}
    const errand = await command.errand(home, bench.side)
    const argv = errand.argv.map(word => word.replaceAll(bench.side.origin, wire.origin))
    const finished = await run(home, {...errand, argv}, {onStart})
    const {exit, stdout} = finished
    const wrong = checkDirectory(home)
    if (!wire.requests.some(({struck}) => struck)) wrong.push('the disk was never filled')
    if (!exits.includes(Number(exit))) wrong.push(`exit ${exit}, not ${exits.join(' or ')}`)
    if (shows?.test(stdout) === false) wrong.push(`does not show ${shows}`)
    if (exit === 2 && !errorIn(finished).code?.startsWith('storage_'))
      wrong.push('another code than storage_…')
    wire.strike = undefined
    if (command.name !== 'reserve') wrong.push(...((await errand.check?.(finished)) ?? []))
    else {
      const reference = argv[argv.indexOf('--client-reference') + 1] ?? ''
      const again = await home.json<{outcome?: string}>(['reserve', '--resume', reference])
      if (again.exit !== 0 || again.result.outcome !== 'confirmed')
        wrong.push(`resumed, it ends with ${again.exit}`)
    }
    return reported(command, finished, wrong)
  }

const commandsOf = (file: string) =>
  FILE_COMMANDS.filter(({needs, uses}) => needs.includes(file) || uses.includes(file))

const lacksPrlimit =
  spawnSync('prlimit', ['--version']).status === 0 ? undefined : 'needs prlimit, to fill a disk meanwhile'

type FileCell = Cell<Bench> & {readonly lacks: string | undefined}

const cell = (
  what: string,
  command: FileCommand,
  run: Run,
  {group, lacks}: Pick<FileCell, 'group'> & {readonly lacks?: string | undefined},
): FileCell => {
  const name = `${what} × ${command.name}`
  const isSample = SAMPLE.includes(name)
  return {name, group, lacks, isSample, run: (bench, _, own) => run(bench, own, command)}
}

const SAMPLE = [
  'config.json, cut in the middle × config set',
  "tokens.db, a link to somebody's file × account",
  'state.db, a torn second page × reserve',
  '8 kB left × reserve',
  'no room for the answer × reserve',
]

const CELLS: readonly FileCell[] = [
  ...FORMS.flatMap(([file, forms]) =>
    commandsOf(file).flatMap(command =>
      forms.map(form =>
        cell(`${file}, ${form.name}`, command, runForm(file, form), {group: file, lacks: form.lacks}),
      ),
    ),
  ),
  ...DISKS.flatMap(disk => FILE_COMMANDS.map(command => cell(disk.name, command, runDisk(disk), disk))),
  ...FILE_COMMANDS.filter(({name}) => name in FILLINGS).map(command => {
    const run = runFilling(FILLINGS[command.name] as Filling)
    return cell('no room for the answer', command, run, {group: 'full disks', lacks: lacksPrlimit})
  }),
]

export const files = part<Bench>({
  title: 'Files',
  cells: CELLS.filter(({lacks}) => !lacks),
  open: openBench,
  leftOut: [...new Set(CELLS.flatMap(({lacks, name}) => (lacks ? `${name.split(' × ')[0]}: ${lacks}` : [])))],
})
