/** One command, with one debug switch, and one answer that echoes what it was sent: where is a secret that should not be there? */
import type {ChildProcess} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Home} from '../support/bookctl.js'
import {Canaries, filesIn, type SecretKind} from './canaries.js'
import {ECHOES, type Echo, EchoService} from './echo-service.js'
import {JOURNAL, RESULTS, STORES} from './leak-rules.js'
import {ROWS, type Row} from './rows.js'
import type {SandboxSide} from './sandbox-side.js'

export interface Switch {
  readonly name: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const flag = (...argv: string[]): Switch => ({name: argv.join(' '), argv, env: {}})
const variable = (name: string, value: string): Switch => ({
  name: `${name}=${value}`,
  argv: [],
  env: {[name]: value},
})

export const SWITCHES: readonly Switch[] = [
  ...[flag('-v'), flag('-vv'), flag('--print-curl'), flag('--har', 'trace.har')],
  ...[variable('BOOKCTL_DEBUG', '1'), variable('NODE_DEBUG', '*'), variable('DEBUG', '*')],
  {
    name: 'all',
    argv: ['-vv', '--print-curl', '--har', 'trace.har'],
    env: {BOOKCTL_DEBUG: '1', NODE_DEBUG: '*', DEBUG: '*'},
  },
]

export interface LeakCell {
  readonly row: Row
  readonly with: Switch
  readonly echo: Echo
  readonly isJson: boolean
}

export function leakName({row, with: debug, echo, isJson}: LeakCell): string {
  const part = row.part ? ` (${row.part})` : ''
  return `leak: ${row.command.replaceAll(':', ' ')}${part}${isJson ? ' --json' : ''} × ${debug.name} × ${echo.name}`
}

/** Every row with every switch and every answer, with and without --json in turn. */
export function allLeakCells(): LeakCell[] {
  return ROWS.flatMap((row, r) =>
    SWITCHES.flatMap((debug, s) =>
      ECHOES.filter(echo => isMeant(row, echo)).map((echo, e) => ({
        ...{row, with: debug, echo, isJson: (r + s + e) % 2 === 0},
      })),
    ),
  )
}

/** Every row once with all switches together, every switch and every answer at least once. */
export function shortLeakCells(): LeakCell[] {
  return ROWS.map((row, n) => {
    const echoes = ECHOES.filter(echo => isMeant(row, echo))
    const debug = SWITCHES[n % 2 === 0 ? SWITCHES.length - 1 : ((n - 1) / 2) % SWITCHES.length] as Switch
    return {row, with: debug, echo: echoes[(n * 4) % echoes.length] as Echo, isJson: n % 3 !== 0}
  })
}

/** `listen --subscribe` waits for events once it is subscribed; a reset of the sandbox would take away what the others need. */
function isMeant({command}: Row, echo: Echo): boolean {
  if (command === 'webhooks:listen') return !['nothing', 'record-200'].includes(echo.name)
  return command !== 'sandbox:reset' || !echo.forwards
}

/** Runs it; returns what is wrong, one line each. */
export async function runLeakCell(side: SandboxSide, cell: LeakCell): Promise<string[]> {
  const {row, with: debug, echo} = cell
  const canaries = new Canaries()
  const service = await EchoService.start(side.origin, canaries)
  const credentials = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}
  const home = new Home({
    ...(row.usesProfile ? {} : credentials),
    BOOKCTL_BASE_URL: `${service.origin}/partner-api/v1`,
  })
  writeFileSync(join(home.directory, 'secret.txt'), 'sk_test_sandbox\n')
  try {
    const {argv} = await row.errand(side)
    for (const first of row.first ?? []) await home.run(first)
    service.strike = {echo, method: row.method, path: row.path}
    const typed = [...argv, ...debug.argv, ...(cell.isJson ? ['--json'] : []), '--timeout', '2']
    const seen = await runWatched(home, typed, debug.env)
    const {exit, stdout, stderr} = seen
    const results = exit === 0 ? (RESULTS[row.command]?.kinds ?? []) : []
    const isRecord = echo.isResult === true && exit === 0
    const places: [string, SecretKind[]][] = [
      ['stdout', isRecord ? [] : canaries.seenIn(stdout, results)],
      ['stderr', canaries.seenIn(stderr)],
      // What a user types is there for all to see; no command starts another.
      ['the process list', canaries.seenIn(seen.processes.replaceAll(typed.join('\0'), ''))],
      ...filesIn(home.directory).map(({name, text}): [string, SecretKind[]] => [
        name,
        canaries.seenIn(text, allowedIn(name, row, exit)),
      ]),
    ]
    const wrong = places.flatMap(([place, kinds]) => kinds.map(kind => `${place} shows: ${kind}`))
    // With BOOKCTL_DEBUG a stack is what was asked for.
    if (debug.env.BOOKCTL_DEBUG === undefined && /^\s+at .+:\d+:\d+\)?$/m.test(stdout + stderr))
      wrong.push('a stack trace')
    if (exit === 1) wrong.push('exit 1')
    return wrong.length === 0 ? [] : [...wrong, `  ${stdout.slice(0, 1500)} | ${stderr.slice(0, 1500)}`]
  } finally {
    await service.close()
    home.remove()
  }
}

function allowedIn(name: string, {command}: Row, exit: unknown): readonly SecretKind[] {
  const kinds = STORES.filter(({file}) => file.test(name)).flatMap(store => store.kinds)
  const isOpen = command === 'reserve' && exit === 10 && JOURNAL.test(name)
  return isOpen ? [...kinds, 'identity number'] : kinds
}

/** Runs it, and keeps the command lines of it and of what it starts, where the system shows them as files. */
export async function runWatched(home: Home, argv: readonly string[], env: Readonly<Record<string, string>>) {
  const lines = new Set<string>()
  let child: ChildProcess | undefined
  const look = () => {
    for (const pid of child?.pid === undefined ? [] : family(child.pid))
      lines.add(read(`/proc/${pid}/cmdline`))
  }
  const timer = setInterval(look, 20)
  const finished = await home
    .run(argv, {
      env,
      onStart: started => {
        child = started
      },
    })
    .finally(() => clearInterval(timer))
  return {...finished, processes: [...lines].join('\n')}
}

function family(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(family)]
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
