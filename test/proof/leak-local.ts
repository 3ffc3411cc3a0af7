/** Commands that ask the service nothing, in a home that knows one secret of every kind, with every switch. */
import type {ChildProcess} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Home} from '../support/bookctl.js'
import {makeWebhookFiles, SIGNING_SECRET, startReceiver} from '../support/webhook-files.js'
import type {Canaries} from './canaries.js'
import {SILENT} from './fault-silent.js'
import {runWatched, type Watched} from './fault-watched.js'
import {filesIn} from './files-in.js'
import {allowedIn, type LeakBench, type LeakResult, leaksIn, leaksOutside} from './leak-cell.js'
import {commonEnvironment, furnish} from './leak-home.js'
import {type RESULTS, resultsOf} from './leak-rules.js'
import type {SpecialCell} from './leak-special.js'
import {SWITCHES, type Switch} from './leak-switches.js'
import {SandboxSide} from './sandbox-side.js'

type Argv = (known: {eventId: string; reference: string; receiver: string}) => readonly string[]

/** By command, or by command and what is asked of it. */
const TYPED: Readonly<Record<string, Argv>> = {
  ...Object.fromEntries(Object.entries(SILENT).map(([id, argv]) => [id, () => argv])),
  // Of what is there, so that they succeed.
  'config:get': () => ['config', 'get', 'timeout'],
  'profiles:use': () => ['profiles', 'use', 'default'],
  'journal:forget': ({reference}) => ['journal', 'forget', reference, '--yes'],
  'webhooks:events:show': ({eventId}) => ['webhooks', 'events', 'show', eventId],
  'webhooks:events:replay': ({eventId, receiver}) => [
    ...['webhooks', 'events', 'replay', eventId, '--to', receiver],
    ...['--resign', '--secret-file', 'signing.txt'],
  ],
  'webhooks:probe': ({receiver}) => ['webhooks', 'probe', receiver, '--secret-file', 'signing.txt'],
  'webhooks:listen print-secret': () => ['webhooks', 'listen', '--print-secret'],
  'config:list environment': () => ['config', 'list', '--json'],
  'reserve dry-run': ({reference}) => ['reserve', '--resume', reference, '--dry-run'],
  'logout dry-run': () => ['logout', '--all', '--dry-run', '--yes'],
  'version environment': () => ['version', '--verbose'],
  demo: () => ['demo'],
}

/** In place of those of the command: what this one is asked for. */
const ASKED: typeof RESULTS = {
  'webhooks:listen print-secret': {kinds: ['signing secret'], source: 'print the signing secret'},
  'reserve dry-run': {
    kinds: ['kept identity number'],
    source: 'prints the exact request, which is the user’s own',
  },
  demo: {
    kinds: ['signing secret', 'identity number', 'payment address'],
    source: 'each step shown as the command a user would type, with what it printed',
  },
}

export const LOCAL_CELLS: readonly SpecialCell[] = [
  ...Object.entries(TYPED).flatMap(([id, argv]) =>
    SWITCHES.map(debug => ({
      name: `${id.replaceAll(':', ' ')} × ${debug.name}`,
      group: id.split(' ')[0] ?? id,
      run: (bench: LeakBench) => runLocally(bench, id, argv, debug),
    })),
  ),
  ...SWITCHES.map(debug => ({
    name: `sandbox start × ${debug.name}`,
    group: 'sandbox:start',
    run: (bench: LeakBench) => runSandbox(bench, debug),
  })),
]

async function runLocally({knowing}: LeakBench, id: string, argv: Argv, debug: Switch): Promise<LeakResult> {
  const canaries = knowing.canaries.copy()
  const home = new Home()
  Object.assign(home.env, commonEnvironment(home.directory))
  const receiver = await startReceiver()
  furnish(home, knowing)
  makeWebhookFiles(home.directory, Math.floor(Date.now() / 1000))
  writeFileSync(join(home.directory, 'signing.txt'), `${SIGNING_SECRET}\n`)
  canaries.add(SIGNING_SECRET, 'signing secret')
  try {
    const known = {eventId: knowing.eventId, reference: knowing.openReference, receiver: receiver.url}
    const typed = [...argv(known), ...debug.argv]
    return result(home, canaries, await runWatched(home, typed, debug.env), id)
  } finally {
    receiver.close()
    home.remove()
  }
}

/** The service itself, with one request of each kind, and what it tells of them. */
async function runSandbox({knowing}: LeakBench, debug: Switch): Promise<LeakResult> {
  const canaries = knowing.canaries.copy()
  const home = new Home()
  Object.assign(home.env, commonEnvironment(home.directory))
  furnish(home, knowing)
  let child: ChildProcess | undefined
  const typed = ['sandbox', 'start', '--db', ':memory:', '--json', ...debug.argv]
  const running = runWatched(home, typed, debug.env, started => {
    child = started
    let text = ''
    let isUsed = false
    started.stdout?.on('data', piece => {
      text += piece
      const end = text.indexOf('\n')
      if (isUsed || end < 0) return
      isUsed = true
      void use(JSON.parse(text.slice(0, end)).base_url, canaries).finally(() => started.kill('SIGTERM'))
    })
  })
  try {
    const seen = await running
    return result(home, canaries, seen, 'sandbox:start')
  } finally {
    child?.kill('SIGKILL')
    home.remove()
  }
}

async function use(baseUrl: string, canaries: Canaries): Promise<void> {
  const side = new SandboxSide(baseUrl, text => canaries.harvest(text))
  const reference = await side.reservation('account')
  await side.reservation('instant')
  await side.subscription()
  await side.show(`/reservations/${reference}/voucher`)
}

/** With what they end as they are typed; 0 unless told. */
const ENDS: Readonly<Record<string, number>> = {
  // Of a signature that is none.
  'webhooks:verify': 9,
  // By a signal, as its user ends it.
  'sandbox:start': 143,
}

function result(home: Home, canaries: Canaries, seen: Watched, id: string): LeakResult {
  const command = id.split(' ')[0] ?? id
  const hasEnded = seen.exit === (ENDS[id] ?? 0)
  const asked =
    (hasEnded ? ASKED[id]?.kinds : undefined) ?? resultsOf(command, hasEnded ? 0 : seen.exit, seen.stdout)
  const shown = canaries.seenIn(seen.stdout)
  for (const {text} of filesIn(home.directory)) canaries.meet(text)
  canaries.meet(Object.values(home.env).join('\n'))
  const isOurs = (name: string) => /^(signing(-secret)?\.txt|body\.|captures\/|request\.http)/.test(name)
  const wrong = [
    ...leaksIn('stdout', seen.stdout, canaries, asked),
    ...leaksIn('stderr', seen.stderr, canaries),
    ...leaksOutside(
      home,
      canaries,
      seen,
      name => (isOurs(name) ? ['signing secret'] : allowedIn(name, command, seen.exit)),
      // It runs the commands it shows, with guests who do not exist.
      command === 'demo' ? ['identity number'] : [],
    ),
    ...(hasEnded ? [] : [`exit ${seen.exit}, not ${ENDS[id] ?? 0}`]),
    ...(asked.length === 0 || asked.some(kind => shown.includes(kind))
      ? []
      : ['shows nothing of what was asked for']),
  ]
  return {
    wrong:
      wrong.length === 0 ? [] : [...wrong, `  ${seen.stdout.slice(0, 1500)} | ${seen.stderr.slice(0, 1500)}`],
    canaries: canaries.size,
  }
}
