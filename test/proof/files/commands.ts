/** The commands that read or write files of the configuration directory, with the files each needs and its results. */
import {randomUUID} from 'node:crypto'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Finished} from '../../support/bookctl.js'
import {SEARCH} from '../../support/stay.js'
import {load, signedEvent} from '../../support/webhook-load.js'
import {contentOf, isPdf} from '../shared/home.js'
import {booking, type Side} from '../shared/scene.js'
import type {FileHome} from './home.js'

export interface Errand {
  readonly argv: readonly string[]
  /** Uses a server that is ready. The server is then ended with SIGTERM. */
  readonly serve?: (ready: Record<string, string>) => Promise<void>
  /** Returns what is wrong after the command. */
  readonly check?: (finished: Finished) => Promise<readonly string[]> | readonly string[]
}

export interface FileCommand {
  readonly name: string
  /** Files without which the command is refused. */
  readonly needs: readonly string[]
  /** Files that the command reads or writes, but can do without. */
  readonly uses: readonly string[]
  /** Whether the output may contain personal data, or the well-known secret of the local sandbox. */
  readonly showsPeople?: boolean
  readonly showsSecret?: boolean
  /** Tables that the command removes rows from. If it fails, only some of them may be gone. */
  readonly removes?: readonly string[]
  /** The exit code without a fault (default 0). */
  readonly exit?: number
  readonly errand: (home: FileHome, side: Side) => Promise<Errand> | Errand
}

const CONFIG = ['config.json']
const SIGNED_IN = ['config.json', 'tokens.db']
const CHANGES = ['locks']
const RECORDED = ['locks', 'exchanges.jsonl']
const AUTHORITY = ['listen-ca.pem', 'listen-ca-key.pem', 'locks']
const SECRET_TABLES = ['client_secrets', 'signing_secrets']

interface More extends Partial<Omit<FileCommand, 'errand'>> {
  /** Reports whether the command has done its work, if it exits with 0. */
  readonly done?: (home: FileHome) => boolean
  readonly serve?: Errand['serve']
}

/** Returns a command from its command line, in which RESERVATION stands for the reference of a reservation. */
function command(
  name: string,
  needs: readonly string[],
  uses: readonly string[],
  errand: string | FileCommand['errand'],
  {done, serve, ...more}: More = {},
): FileCommand {
  const typed = (line: string, home: FileHome): Errand => ({
    argv: line.replace('RESERVATION', home.bench.reservation).split(' '),
    ...(serve && {serve}),
    check: ({exit}) => (exit !== 0 || !done || done(home) ? [] : ['it exits with 0 and is not done']),
  })
  const make = typeof errand === 'string' ? (home: FileHome) => typed(errand, home) : errand
  return {name, needs, uses, ...more, errand: make}
}

const has = (home: FileHome, name: string, text: string) =>
  existsSync(home.path(name)) && readFileSync(home.path(name)).includes(text)
const rowsOf = (home: FileHome, name: string, table: string) =>
  contentOf(home.path(name))?.tables[table] ?? []
const setCurrency = (home: FileHome) => has(home, 'config.json', 'JPY')
const serve = async () => {}

/** Returns an errand after which the file at `path` is complete if the command exits with 0, and missing otherwise. */
const writes =
  (line: string, path: string, isWhole: (bytes: Buffer) => boolean) =>
  (home: FileHome): Errand => ({
    argv: line.replace('RESERVATION', home.bench.reservation).split(' '),
    check({exit}) {
      const place = join(home.directory, path)
      const isThere = existsSync(place)
      if (isThere !== (exit === 0)) return [`${path}: exit ${exit}, and it is there: ${isThere}`]
      return exit !== 0 || isWhole(readFileSync(place)) ? [] : [`${path} is not whole`]
    },
  })

/** The signature of the end of the central directory. */
const isZip = (bytes: Buffer) => bytes.includes('PK\x05\x06')
const DOWNLOAD = writes('voucher download RESERVATION --file v.pdf', 'v.pdf', isPdf)
const BUNDLE = writes('support bundle b.zip --yes', 'b.zip', isZip)

export const FILE_COMMANDS: readonly FileCommand[] = [
  command('config list', CONFIG, [], 'config list'),
  command('profiles list', CONFIG, [], 'profiles list'),
  command('config set', CONFIG, CHANGES, 'config set currency JPY', {done: setCurrency}),
  command('config unset', CONFIG, CHANGES, 'config unset currency'),
  command('profiles use', CONFIG, CHANGES, 'profiles use default'),
  command('profiles remove', SIGNED_IN, CHANGES, 'profiles remove default --yes', {
    done: home => rowsOf(home, 'tokens.db', 'client_secrets').length === 0,
    removes: SECRET_TABLES,
  }),
  command('login', SIGNED_IN, RECORDED, (home, side) => ({
    argv: [
      ...['login', '--base-url', side.baseUrl, '--profile', 'second', '--client-id', 'cid_sandbox'],
      ...['--client-secret-file', 'secret.txt'],
    ],
    check: ({exit}) =>
      exit !== 0 || has(home, 'config.json', '"second"') ? [] : ['config.json has no new profile'],
  })),
  command('logout', SIGNED_IN, CHANGES, 'logout', {
    done: home => !has(home, 'tokens.db', 'sk_test_sandbox'),
    removes: ['client_secrets'],
  }),
  command('whoami', SIGNED_IN, [], 'whoami'),
  command('token', SIGNED_IN, RECORDED, 'token'),
  command('account', SIGNED_IN, RECORDED, 'account'),
  command('api --har', SIGNED_IN, RECORDED, home => ({
    argv: ['api', 'GET', '/account', '--har', 'all.har'],
    check({exit, stderr}) {
      // Failed requests are recorded as well.
      const path = join(home.directory, 'all.har')
      if (existsSync(path)) JSON.parse(readFileSync(path, 'utf8'))
      return existsSync(path) || exit !== 0 || /--har/.test(stderr) ? [] : ['all.har is not there']
    },
  })),
  command('hotels search', [...SIGNED_IN, 'state.db'], RECORDED, SEARCH.join(' ')),
  command('reserve', [...SIGNED_IN, 'state.db', 'locks'], RECORDED, reserving, {showsPeople: true}),
  command('journal', ['state.db'], [], 'journal'),
  command('journal forget', ['state.db'], CHANGES, 'journal forget left-open --yes', {
    done: home => !['state.db', 'state.db-wal'].some(name => has(home, name, '10000000146')),
    removes: ['reservations'],
  }),
  command('webhooks create', [...SIGNED_IN, 'state.db'], RECORDED, subscribing),
  command('webhooks events list', ['events.db'], [], 'webhooks events list'),
  command('webhooks listen', ['events.db'], [], listening, {exit: 143}),
  command('webhooks listen --tls', ['events.db'], AUTHORITY, 'webhooks listen --tls', {exit: 143, serve}),
  command('voucher download', SIGNED_IN, RECORDED, DOWNLOAD),
  command('support bundle', [], [...SIGNED_IN, 'state.db', 'events.db', 'exchanges.jsonl'], BUNDLE),
  command('sandbox start', ['sandbox.db'], ['sandbox-running.json'], 'sandbox start', {
    exit: 143,
    showsSecret: true,
    serve,
  }),
]

async function reserving(home: FileHome, side: Side): Promise<Errand> {
  const reference = `file-${randomUUID()}`
  return {
    argv: booking(await side.offer(), ['--client-reference', reference]),
    async check({exit}) {
      const made = (await side.reservations(reference)).length
      const allowed = exit === 0 ? [1] : exit === 10 ? [0, 1] : [0]
      if (!allowed.includes(made)) return [`made ${made} reservations, with exit ${exit}`]
      if (exit !== 0 || !existsSync(home.path('state.db'))) return []
      const isKnown = rowsOf(home, 'state.db', 'reservations').some(row => row.includes(reference))
      return isKnown ? [] : ['the journal does not know the reservation']
    },
  }
}

function subscribing(home: FileHome, side: Side): Errand {
  const url = `https://127.0.0.1:1/${randomUUID()}`
  return {
    argv: ['webhooks', 'create', '--url', url, '--event', 'voucher.ready'],
    async check({exit, stdout}) {
      if ((await side.subscriptionsTo(url)).length === 0)
        return exit === 0 ? ['there is no subscription'] : []
      const secret = /whsec_[\w-]+/.exec(stdout)?.[0]
      if (secret === undefined) return ['a subscription was made and its secret was not shown']
      const isKept = rowsOf(home, 'tokens.db', 'signing_secrets').some(row => row.includes(secret))
      return isKept === (exit === 0) ? [] : [`exit ${exit}, and that the secret is kept is ${isKept}`]
    },
  }
}

/** One event is sent. It must be stored if and only if it is answered with 200. */
function listening(home: FileHome): Errand {
  const id = `evt_${randomUUID()}`
  let status = 0
  return {
    argv: ['webhooks', 'listen'],
    async serve({url = ''}) {
      const events = [signedEvent(id)]
      const {answers} = await load({
        port: Number(new URL(url).port),
        connections: 1,
        next: () => events.shift(),
      })
      status = answers[0]?.status ?? 0
    },
    check() {
      const isKept = status !== 0 && rowsOf(home, 'events.db', 'events').some(row => row.includes(id))
      if (status === 200 && !isKept) return ['answered 200 for an event that is lost']
      return [0, 200, 503].includes(status) ? [] : [`answered ${status}`]
    },
  }
}
