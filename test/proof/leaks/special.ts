/** Cells without a row in the matrix: commands that send no request to the service, crashes, the browser, and a typed secret. */
import type {ChildProcess} from 'node:child_process'
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import type {Readable} from 'node:stream'
import type {Home} from '../../support/bookctl.js'
import {reservationRequest, searchRequest} from '../../support/sandbox.js'
import {hasStack} from '../../support/stack.js'
import {CONTACT} from '../../support/stay.js'
import {atTerminal, KEYS, type TerminalRun} from '../../support/terminal.js'
import {waitUntil} from '../../support/wait.js'
import {makeWebhookFiles, SIGNING_SECRET, startReceiver} from '../../support/webhook-files.js'
import {sendEvent} from '../../support/webhook-load.js'
import {errandOf, nameOfRow, ROWS, type Row, SILENT} from '../faults/commands.js'
import type {Cell, Own} from '../shared/part.js'
import {CREDENTIALS, explained, Side, TWO} from '../shared/scene.js'
import {
  ALL,
  allowedIn,
  Canaries,
  findLeaks,
  resultsOf,
  type SecretKind,
  SWITCHES,
  type Switch,
  type Watched,
} from '../shared/secrets.js'
import {type Bench, EVENT_ID, OPEN_REFERENCE, openKnowing, runRow, runWatched} from './home.js'

type Argv = readonly string[]

/** The arguments of commands without a row. The receiver is that of `runLocally`. */
const TYPED: Readonly<Record<string, (receiver: string) => Argv>> = {
  ...Object.fromEntries(Object.entries(SILENT).map(([id, line]) => [id, () => line.split(' ')])),
  // With existing values, so that the commands succeed.
  'config:get': () => ['config', 'get', 'timeout'],
  'profiles:use': () => ['profiles', 'use', 'default'],
  'journal:forget': () => ['journal', 'forget', OPEN_REFERENCE, '--yes'],
  'webhooks:events:show': () => ['webhooks', 'events', 'show', EVENT_ID],
  // Logged out, an attempt whose outcome is unknown, as JSON and as a mail.
  explain: () => ['explain', OPEN_REFERENCE, '--json'],
  'explain reply': () => ['explain', OPEN_REFERENCE, '--reply'],
  'explain event': () => ['explain', EVENT_ID],
  'explain event reply': () => ['explain', EVENT_ID, '--reply'],
  'explain file': () => ['explain', 'request.http', '--secret-file', 'signing.txt'],
  'webhooks:events:wait': () => ['webhooks', 'events', 'wait', '--id', EVENT_ID, '--within', '1'],
  'webhooks:events:replay': receiver => [
    ...['webhooks', 'events', 'replay', EVENT_ID, '--to', receiver],
    ...['--resign', '--secret-file', 'signing.txt'],
  ],
  'webhooks:verify reply': () => [
    ...['webhooks', 'verify', 'request.http', '--secret-file', 'signing.txt'],
    ...['--body', 'signing.txt', '--reply', '--json'],
  ],
  'webhooks:probe': receiver => ['webhooks', 'probe', receiver, '--secret-file', 'signing.txt'],
  'webhooks:listen print-secret': () => ['webhooks', 'listen', '--print-secret'],
  'config:list environment': () => ['config', 'list', '--json'],
  'reserve dry-run': () => ['reserve', '--resume', OPEN_REFERENCE, '--dry-run'],
  'logout dry-run': () => ['logout', '--all', '--dry-run', '--yes'],
  // Without --yes, the command names the subscriptions whose secrets would be lost.
  'logout unasked': () => ['logout', '--all'],
  'logout all': () => ['logout', '--all', '--yes'],
  'version environment': () => ['version', '--verbose'],
  demo: () => ['demo'],
  'mcp:approve': () => ['mcp', 'approve', 'hdl_none'],
  'sandbox:run': () => ['sandbox', 'run', '--env-prefix', 'PARTNER', '--', process.execPath, '--version'],
}

/** The kinds of secrets that these commands may print, because the user asks for them. */
const ASKED: Readonly<Record<string, readonly SecretKind[]>> = {
  'webhooks:listen print-secret': ['signing secret'],
  // The exact request, whose data is the user's own.
  'reserve dry-run': ['kept identity number'],
  // Each step as the command that a user would type, with its output.
  demo: ['signing secret', 'identity number', 'payment address'],
}

/** The exit codes (default 0): an invalid signature, no listener, a token that could not be revoked, and a signal. */
const ENDS: Readonly<Record<string, number>> = {
  'webhooks:verify': 9,
  'webhooks:verify reply': 9,
  'webhooks:status': 8,
  explain: 3,
  'explain reply': 3,
  'mcp:approve': 2,
  'logout unasked': 2,
  'logout all': 7,
  'sandbox:start': 143,
  'webhooks:tap': 143,
}

/** Runs one cell, and returns what is wrong. */
type Search = (bench: Bench, own: Own) => Promise<string[]>

const runLocally =
  (id: string, argv: (receiver: string) => Argv, debug: Switch): Search =>
  async (bench, own) => {
    const {home, canaries} = await openKnowing(bench, own, {env: {}})
    delete home.env.BOOKCTL_BASE_URL
    makeWebhookFiles(home.directory, Math.floor(Date.now() / 1000))
    writeFileSync(join(home.directory, 'signing.txt'), `${SIGNING_SECRET}\n`)
    canaries.add(SIGNING_SECRET, 'signing secret')
    const receiver = own(await startReceiver())
    const seen = await runWatched(home, [...argv(receiver.url), ...debug.argv], debug.env)
    return checkLocal(home, canaries, seen, id)
  }

/** Runs the sandbox itself, with one request of each kind. */
const runSandbox =
  (debug: Switch): Search =>
  async (bench, own) => {
    const {home, canaries} = await openKnowing(bench, own, {env: {}})
    const use = async (origin: string) => {
      const side = new Side(origin, text => canaries.harvest(text))
      const reference = await side.reservation()
      await side.reservation('instant')
      await side.subscription()
      await side.show(`/reservations/${reference}/voucher`)
    }
    const typed = ['sandbox', 'start', '--db', ':memory:', '--json', ...debug.argv]
    const seen = await runWatched(home, typed, debug.env, child => {
      child.stdout?.once('data', piece => {
        void use(JSON.parse(String(piece).split('\n')[0] ?? '').origin).finally(() => child.kill('SIGTERM'))
      })
    })
    return checkLocal(home, canaries, seen, 'sandbox:start')
  }

/** Passes a valid and a forged event on to a receiver. */
const runTap =
  (debug: Switch): Search =>
  async (bench, own) => {
    const {home, canaries} = await openKnowing(bench, own, {env: {}})
    writeFileSync(join(home.directory, 'signing.txt'), `${SIGNING_SECRET}\n`)
    canaries.add(SIGNING_SECRET, 'signing secret')
    const receiver = own(await startReceiver())
    const use = async (url: string) => {
      const {port, pathname: path} = new URL(url)
      for (const secret of [SIGNING_SECRET, 'whsec_other'])
        await sendEvent(Number(port), '{"id":"evt_1"}', 'evt_1', {secret, path})
    }
    const flags = ['--to', receiver.url, '--port', '0', '--secret-file', 'signing.txt', '--json']
    const seen = await runWatched(home, ['webhooks', 'tap', ...flags, ...debug.argv], debug.env, child => {
      child.stdout?.once('data', piece => {
        void use(JSON.parse(String(piece).split('\n')[0] ?? '').url).finally(() => child.kill('SIGTERM'))
      })
    })
    const wrong = checkLocal(home, canaries, seen, 'webhooks:tap')
    return seen.stdout.split('\n').length === 4 ? wrong : [...wrong, `it printed ${seen.stdout}`]
  }

/** Books a file of two trips. The service refuses the second one, so it is in the file of --failed. */
const runBatch =
  (debug: Switch): Search =>
  async (bench, own) => {
    const {home, canaries, wire} = await openKnowing(bench, own, {env: CREDENTIALS})
    const trip = (offer_id: string, client_reference_id: string) => ({
      ...reservationRequest(offer_id, {guests: TWO, payment: {mode: 'instant'}}),
      client_reference_id,
    })
    const offer = await bench.side.offer()
    const trips = [trip(offer, `batch-${offer}`), trip('off_unknown', `refused-${offer}`)]
    writeFileSync(join(home.directory, 'trips.json'), JSON.stringify(trips))
    const argv = ['reserve', 'batch', 'trips.json', '--failed', 'failed.json', '--json']
    const seen = await runWatched(home, [...argv, ...debug.argv], debug.env)
    for (const {head, body} of wire.requests) canaries.harvest(`${head}\n${body}`)
    const wrong = findLeaks(home, canaries, 'reserve:batch', seen, {
      stdout: ['payment address'],
      // The user's own file, and what is copied from it.
      file: name => (/^(trips|failed)\.json$/.test(name) ? ['identity number'] : undefined),
    })
    if (seen.exit !== 3) wrong.push(`exit ${seen.exit}, not 3`)
    if (!canaries.seenIn(seen.stdout).includes('payment address')) wrong.push('names no payment address')
    if (!existsSync(join(home.directory, 'failed.json'))) wrong.push('writes no --failed')
    return explained(wrong, seen)
  }

/** Explains a reservation to an operator who is logged in, and to a partner. */
const runExplain =
  (more: Argv, debug: Switch): Search =>
  async (bench, own) => {
    const {home, canaries, wire} = await openKnowing(bench, own, {env: CREDENTIALS})
    const reference = await bench.side.reservation('instant')
    const seen = await runWatched(home, ['explain', reference, ...more, ...debug.argv], debug.env)
    for (const {head, body} of wire.requests) canaries.harvest(`${head}\n${body}`)
    const wrong = findLeaks(home, canaries, 'explain', seen, {stdout: []})
    const people = [CONTACT.name, CONTACT.surname, CONTACT.email, '1990-02-03', 'Can', 'ADULT']
    const shown = people.filter(text => new RegExp(`\\b${text}\\b`).test(seen.stdout))
    if (shown.length > 0) wrong.push(`shows ${shown.join(', ')}`)
    // Two reservations of the bench may be for the same guests, hotel and dates.
    if (seen.exit !== 0 && seen.exit !== 3) wrong.push(`exit ${seen.exit}`)
    if (!seen.stdout.includes(reference)) wrong.push('says nothing about the reservation')
    return explained(wrong, seen)
  }

/** Searches with the server for agents, then calls its other tools, up to a reservation that is prepared, with a log of each call. */
const runMcp =
  (debug: Switch): Search =>
  async (bench, own) => {
    const {home, canaries, wire} = await openKnowing(bench, own, {env: CREDENTIALS})
    const reference = await bench.side.reservation('instant')
    const callsAbout = (offer: string): [tool: string, given: object][] => [
      ['account', {}],
      ['show_offer', {offer_id: offer}],
      ['show_reservation', {reservation_ref: reference}],
      ['list_reservations', {limit: 5}],
      ['download_voucher', {reservation_ref: reference}],
      ['explain', {what: reference}],
      ['recent_events', {}],
      ['prepare_reservation', reservationRequest(offer, {client_reference_id: undefined})],
    ]
    const talk = ({stdin, stdout}: ChildProcess) => {
      const send = ([name, given]: [tool: string, given: object], id: number) => {
        const params = {name, arguments: given, _meta: OF_A_CLIENT}
        stdin?.write(`${JSON.stringify({jsonrpc: '2.0', id, method: 'tools/call', params})}\n`)
      }
      let waiting = 1
      createInterface({input: stdout as Readable}).on('line', line => {
        waiting -= 1
        const {result} = JSON.parse(line)
        const [offer] = result.structuredContent.offers ?? []
        const calls = offer === undefined ? [] : callsAbout(offer.offer_id)
        waiting += calls.length
        calls.forEach(send)
        if (waiting === 0) stdin?.end()
      })
      send(['search_hotels', {...searchRequest(), limit: 1}], 99)
    }
    const limits = ['--allow', 'reserve', '--max-total', '9000 EUR', '--max-each', '9000 EUR']
    const argv = ['mcp', ...limits, '--log', 'json', ...debug.argv]
    const seen = await runWatched(home, argv, debug.env, talk, {stdin: null})
    for (const {head, body} of wire.requests) canaries.harvest(`${head}\n${body}`)
    const wrong = findLeaks(home, canaries, 'mcp', seen, {
      // Where the customer pays is in the result of a reservation.
      stdout: ['payment address'],
      // What is prepared is kept until it is sent or has expired.
      file: name =>
        name === 'config/state.db' ? [...allowedIn(name, 'mcp', 0), 'identity number'] : undefined,
    })
    if (seen.exit !== 0) wrong.push(`exit ${seen.exit}`)
    if (!canaries.seenIn(seen.stdout).includes('payment address')) wrong.push('names no payment address')
    if (!seen.stdout.includes('"handle":"hdl_')) wrong.push('prepares no reservation')
    return explained(wrong, seen)
  }

const OF_A_CLIENT = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': {name: 'raw', version: '1'},
  'io.modelcontextprotocol/clientCapabilities': {},
}

function checkLocal(home: Home, canaries: Canaries, seen: Watched, id: string): string[] {
  const command = id.split(' ')[0] ?? id
  const isWell = seen.exit === (ENDS[id] ?? 0)
  const asked = (isWell && ASKED[id]) || resultsOf(command, isWell ? 0 : seen.exit, seen.stdout)
  const isShown = asked.length === 0 || canaries.seenIn(seen.stdout).some(kind => asked.includes(kind))
  const isOurs = (name: string) => /^(signing(-secret)?\.txt|body\.|captures\/|request\.http)/.test(name)
  const wrong = findLeaks(home, canaries, command, seen, {
    stdout: asked,
    // The demo runs the commands it shows, with invented guests.
    commandLines: command === 'demo' ? ['identity number'] : [],
    file: name => (isOurs(name) ? ['signing secret'] : undefined),
  })
  if (!isWell) wrong.push(`exit ${seen.exit}, not ${ENDS[id] ?? 0}`)
  if (!isShown) wrong.push('shows nothing that was asked for')
  return explained(wrong, seen)
}

const IMPORT = `--import=${new URL('preload.mjs', import.meta.url).href}`
const REPORTS = '--report-uncaught-exception --report-on-fatalerror'

/** An unexpected error with a whole request in its message, together with the debugging options of Node. */
const CRASHES: readonly Switch[] = [
  {name: 'crash', argv: [], env: {NODE_OPTIONS: IMPORT}},
  {
    name: 'crash, BOOKCTL_DEBUG=1',
    argv: [],
    env: {NODE_OPTIONS: IMPORT, BOOKCTL_DEBUG: '1'},
    asksForStacks: true,
  },
  {
    name: 'crash, all, --report-*',
    argv: ALL.argv,
    asksForStacks: true,
    env: {...ALL.env, NODE_OPTIONS: `${ALL.env.NODE_OPTIONS} ${IMPORT} ${REPORTS}`},
  },
]

const crash =
  (row: Row, debug: Switch, isJson: boolean): Search =>
  async (bench, own) => {
    const {home, canaries, seen} = await runRow(bench, own, {row, debug, isJson}, 2)
    const {exit, stdout, stderr} = seen
    const wrong = findLeaks(home, canaries, row.command, seen, {
      // A result may have been printed before the crash.
      stdout: resultsOf(row.command, 0, stdout),
      // The journal is in the state of a reservation whose outcome is unknown.
      file: name => allowedIn(name, row.command, 10),
    })
    if (!existsSync(join(home.directory, 'crashed.txt'))) wrong.push('it never crashed')
    if (exit !== 1) wrong.push(`the crash made it end with ${exit}`)
    if (!debug.asksForStacks && hasStack(stdout + stderr)) wrong.push('a stack trace')
    return explained(wrong, seen)
  }

/** The browser gets the payment address. A test double of the browser records how it was started. */
const openBrowser =
  (switches: Argv, env: Readonly<Record<string, string>>): Search =>
  async (bench, own) => {
    const {home, canaries} = await openKnowing(bench, own, {env: CREDENTIALS})
    const bin = join(home.directory, 'bin')
    mkdirSync(bin)
    const record = join(home.directory, 'opened.txt')
    const script = `#!/bin/sh\n(env; echo "ARGV $@") > ${record}.part && mv ${record}.part ${record}\n`
    for (const name of ['xdg-open', 'open']) writeFileSync(join(bin, name), script, {mode: 0o755})
    const row = ROWS.find(({command, part}) => command === 'reserve' && part === 'instant') as Row
    const {argv} = await errandOf(row, bench.side)
    const PATH = `${bin}:${process.env.PATH}`
    const seen = await runWatched(home, [...argv, '--open', ...switches], {...env, PATH})
    await waitUntil(() => existsSync(record), 'the browser')
    const opened = readFileSync(record, 'utf8')
    const {stdout, stderr, exit} = seen
    const ended = {exit, stdout, stderr}
    const wrong = findLeaks(home, canaries, 'reserve', ended, {
      // The browser also uses the proxy, so it may know the password.
      file: name => (name === 'opened.txt' ? ['payment address', 'proxy password'] : undefined),
    })
    if (exit !== 0) wrong.push(`exit ${exit}`)
    if (canaries.seenIn(opened, ['proxy password'])[0] !== 'payment address')
      wrong.push('the browser has no address')
    return explained(wrong, seen)
  }

/** The text is unique, so that any byte of it can only come from the terminal. */
const WRONG = 'sk_test_typedByHand0123456789'
const RIGHT = 'sk_test_sandbox'

/** The exit codes, and what happens once the secret is asked for: text to type, text to wait for, or a function. */
type Ending = readonly [
  exits: readonly number[],
  ...acts: (string | RegExp | ((at: TerminalRun) => unknown))[],
]

const {enter, 'ctrl-c': CTRL_C} = KEYS
const ENDINGS: Readonly<Record<string, Ending>> = {
  right: [[0], RIGHT + enter],
  // The command asks again after a refused secret.
  'refused, Ctrl-C': [[130], WRONG + enter, /, again/, WRONG + CTRL_C],
  'Ctrl-C': [[130], WRONG + CTRL_C],
  // Directly after Escape, Ctrl-C would be read as another key, Alt-Ctrl-C.
  'Escape, Ctrl-C': [[130], WRONG + KEYS.escape + CTRL_C + CTRL_C],
  'Ctrl-D, Ctrl-C': [[0, 4, 130], WRONG + KEYS['ctrl-d'] + CTRL_C],
  'arrows, Ctrl-C': [[130], [WRONG, KEYS.up, KEYS.down, KEYS.left, KEYS.home, '\t', CTRL_C].join('')],
  corrected: [[0], WRONG + KEYS['ctrl-u'] + RIGHT + enter],
  'of the wrong kind': [[130], `whsec_typedByHand0123456789${enter}`, /must|start/, CTRL_C],
  resized: [[130], WRONG, terminal => terminal.resize(40, 10), `more${CTRL_C}`],
  SIGTERM: [[143], typedAndRead, terminal => terminal.kill('SIGTERM')],
}

/** Keys after the end of the command go to the shell, which shows them. */
async function typedAndRead(terminal: TerminalRun): Promise<void> {
  const before = bytesRead(terminal.pid())
  terminal.type(WRONG)
  await waitUntil(() => bytesRead(terminal.pid()) >= before + WRONG.length, 'the secret to be read')
}

/** Returns the number of bytes that a process has read so far; infinity if the system does not say. */
function bytesRead(pid: number): number {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const MODES: Readonly<Record<string, Record<string, string>>> = {
  drawn: {},
  accessible: {BOOKCTL_ACCESSIBLE: '1'},
  'drawn, all': {BOOKCTL_DEBUG: '1', NODE_DEBUG: '*', DEBUG: '*'},
}

const atPrompt =
  (env: Record<string, string>, [exits, ...acts]: Ending): Search =>
  async (bench, own) => {
    const {home, canaries} = await openKnowing(bench, own, {env: {}})
    delete home.env.BOOKCTL_BASE_URL
    canaries.add(WRONG, 'client secret')
    const verbose = env.BOOKCTL_DEBUG ? ['-vv', '--print-curl', '--har', 'trace.har'] : []
    const terminal = atTerminal(home, ['login', '--profile', 'typed', ...verbose], {env})
    const asked = [/Base URL/, `${bench.side.baseUrl}\r`, /Client id/, 'cid_sandbox\r', /Client secret/]
    for (const act of [...asked, ...acts])
      if (typeof act === 'string') terminal.type(act)
      else await (act instanceof RegExp ? terminal.waitFor(act) : act(terminal))
    const exit = await terminal.exit
    const screen = terminal.screen().replaceAll('\n', '')
    const typed = new Canaries([['typedByHand', 'client secret']])
    const wrong = [
      ...findLeaks(home, canaries, 'login', {exit, stdout: terminal.raw(), stderr: screen}),
      ...findLeaks(home, typed, 'login', {}, {file: () => []}),
      ...(exits.includes(exit) ? [] : [`it ended with ${exit}`]),
    ]
    return wrong.length === 0 ? [] : [...wrong, JSON.stringify(terminal.raw()).slice(0, 3000)]
  }

const SAMPLE =
  /^(journal:forget × all|explain --reply × all|explain reply × all|reserve --open × the browser|login × crash|.*\(drawn\) × Ctrl-C)$/

const cell = (name: string, id: string, run: Search): Cell<Bench> => ({
  name: `leak: ${name.replaceAll(':', ' ')}`,
  group: (id.split(' ')[0] ?? id).replaceAll(':', ' '),
  isSample: SAMPLE.test(name),
  run: (bench, _, own) => run(bench, own),
})

export const SPECIAL_CELLS: readonly Cell<Bench>[] = [
  ...Object.entries(TYPED).flatMap(([id, argv]) =>
    SWITCHES.map(debug => cell(`${id} × ${debug.name}`, id, runLocally(id, argv, debug))),
  ),
  ...SWITCHES.map(debug => cell(`sandbox start × ${debug.name}`, 'sandbox:start', runSandbox(debug))),
  ...SWITCHES.flatMap(debug =>
    [['--json'], ['--reply']].map(more =>
      cell(`explain ${more.join(' ')} × ${debug.name}`, 'explain', runExplain(more, debug)),
    ),
  ),
  ...SWITCHES.map(debug => cell(`mcp calls × ${debug.name}`, 'mcp', runMcp(debug))),
  ...SWITCHES.map(debug => cell(`webhooks tap × ${debug.name}`, 'webhooks:tap', runTap(debug))),
  ...SWITCHES.map(debug => cell(`reserve batch × ${debug.name}`, 'reserve:batch', runBatch(debug))),
  ...ROWS.filter(({command}) => !command.startsWith('sandbox:')).flatMap((row, r) =>
    CRASHES.map((debug, d) =>
      cell(`${nameOfRow(row)} × ${debug.name}`, row.command, crash(row, debug, (r + d) % 2 === 0)),
    ),
  ),
  cell('reserve --open × the browser', 'reserve', openBrowser([], {})),
  cell('reserve --open × the browser × all', 'reserve', openBrowser(ALL.argv, ALL.env)),
  ...Object.entries(MODES).flatMap(([mode, env]) =>
    Object.entries(ENDINGS).map(([end, ending]) =>
      cell(`login at a terminal (${mode}) × ${end}`, 'login', atPrompt(env, ending)),
    ),
  ),
]
