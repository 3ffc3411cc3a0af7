/**
 * Defects and helpers: an error that nobody expected, with a whole request in its message; a diagnostic report or a heap
 * that Node was asked for; the browser that is given the payment address.
 */
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {Home} from '../support/bookctl.js'
import {hasStack} from '../support/stack.js'
import {waitUntil} from '../support/wait.js'
import {EchoService} from './echo-service.js'
import {ROWS, type Row} from './fault-rows.js'
import {runWatched} from './fault-watched.js'
import {allowedIn, type LeakBench, type LeakResult, leaksIn, leaksOutside} from './leak-cell.js'
import {commonEnvironment, done, furnish} from './leak-home.js'
import {resultsOf} from './leak-rules.js'
import type {SpecialCell} from './leak-special.js'
import {ALL, type Switch} from './leak-switches.js'

const PRELOAD = pathToFileURL(fileURLToPath(new URL('leak-preload.mjs', import.meta.url))).href
const IMPORT = `--import=${PRELOAD}`
/** As asked of Node; its reports go where the command runs. */
const REPORTS = '--report-uncaught-exception --report-on-fatalerror'

const CRASHES: readonly Switch[] = [
  {name: 'crash', argv: [], env: {NODE_OPTIONS: IMPORT}},
  {
    name: 'crash, BOOKCTL_DEBUG=1',
    argv: [],
    env: {NODE_OPTIONS: IMPORT, BOOKCTL_DEBUG: '1'},
    asksForStacks: true,
  },
  {
    ...{name: 'crash, all, --report-*', argv: ALL.argv, asksForStacks: true},
    env: {...ALL.env, NODE_OPTIONS: `${ALL.env.NODE_OPTIONS} ${IMPORT} ${REPORTS}`},
  },
]

export const CRASH_CELLS: readonly SpecialCell[] = [
  ...ROWS.filter(({command}) => !command.startsWith('sandbox:')).flatMap((row, r) =>
    CRASHES.map((debug, d) => ({
      name: `${row.command.replaceAll(':', ' ')}${row.part ? ` (${row.part})` : ''} × ${debug.name}`,
      group: row.command,
      run: (bench: LeakBench) => crash(bench, row, debug, (r + d) % 2 === 0),
    })),
  ),
  {name: 'reserve --open × the browser', group: 'reserve', run: bench => open(bench, [])},
  {
    name: 'reserve --open × the browser × all',
    group: 'reserve',
    run: bench => open(bench, ALL.argv, ALL.env),
  },
]

async function crash(bench: LeakBench, row: Row, debug: Switch, isJson: boolean): Promise<LeakResult> {
  return withHome(bench, row.usesProfile === true, async (home, canaries) => {
    for (const first of row.first ?? []) await done(home.run(first))
    const {argv} = await row.errand(bench.side)
    const typed = [...argv, ...debug.argv, ...(isJson ? ['--json'] : []), '--timeout', '2']
    const seen = await runWatched(home, typed, debug.env)
    const {exit, stdout, stderr} = seen
    const wrong = [
      // A result may have been printed before the defect.
      ...leaksIn('stdout', stdout, canaries, resultsOf(row.command, 0, stdout)),
      ...leaksIn('stderr', stderr, canaries),
      // Killed by a defect at any moment: the journal is as it is when a reservation's outcome is not known.
      ...leaksOutside(home, canaries, seen, name => allowedIn(name, row.command, 10)),
    ]
    if (!existsSync(join(home.directory, 'defect.txt'))) wrong.push('the defect never came about')
    if (exit !== 1) wrong.push(`the defect made it end with ${exit}`)
    if (!debug.asksForStacks && hasStack(stdout + stderr)) wrong.push('a stack trace')
    return wrong.length === 0 ? [] : [...wrong, `  ${stdout.slice(0, 1500)} | ${stderr.slice(0, 3000)}`]
  })
}

/** Its stand-in writes down how it was started. */
async function open(
  bench: LeakBench,
  switches: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<LeakResult> {
  return withHome(bench, false, async (home, canaries) => {
    const bin = join(home.directory, 'bin')
    mkdirSync(bin)
    for (const name of ['xdg-open', 'open']) {
      const path = join(bin, name)
      writeFileSync(
        path,
        `#!/bin/sh\nenv > "$HOME/opened.part"\necho "ARGV $@" >> "$HOME/opened.part"\nmv "$HOME/opened.part" "$HOME/opened.txt"\n`,
      )
      chmodSync(path, 0o755)
    }
    const row = ROWS.find(each => each.command === 'reserve' && each.part === 'instant') as Row
    const {argv} = await row.errand(bench.side)
    const path = {PATH: `${bin}:${process.env.PATH}`}
    const typed = [...argv, '--open', ...switches]
    const seen = await runWatched(home, typed, {...env, ...path})
    const record = join(home.directory, 'opened.txt')
    await waitUntil(() => existsSync(record), 'the browser')
    const opened = readFileSync(record, 'utf8')
    const wrong = [
      ...leaksIn('stdout', seen.stdout, canaries, resultsOf('reserve', seen.exit, seen.stdout)),
      ...leaksIn('stderr', seen.stderr, canaries),
      // The address is what the browser is there for, and the proxy is its own as well.
      ...leaksIn('the browser', opened, canaries, ['payment address', 'proxy password']),
      ...leaksOutside(home, canaries, {commandLines: '', environments: ''}, name =>
        name === 'opened.txt' ? ['payment address', 'proxy password'] : allowedIn(name, 'reserve', seen.exit),
      ),
    ]
    if (seen.exit !== 0) wrong.push(`it ended with ${seen.exit}: ${seen.stderr}`)
    if (canaries.seenIn(opened, ['proxy password'])[0] !== 'payment address')
      wrong.push('the browser was not given the address alone')
    return wrong
  })
}

async function withHome(
  {side, knowing}: LeakBench,
  usesProfile: boolean,
  run: (home: Home, canaries: LeakBench['knowing']['canaries']) => Promise<readonly string[]>,
): Promise<LeakResult> {
  const canaries = knowing.canaries.copy()
  const service = await EchoService.start(side.origin, canaries)
  const credentials = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}
  const home = new Home(usesProfile ? {} : credentials)
  Object.assign(home.env, commonEnvironment(home.directory), {
    BOOKCTL_BASE_URL: `${service.origin}/partner-api/v1`,
  })
  furnish(home, knowing)
  try {
    return {wrong: await run(home, canaries), canaries: canaries.size}
  } finally {
    await service.close()
    home.remove()
  }
}
