/** The commands that read or write files of the configuration directory: which they cannot do without, and what they leave. */
import {randomUUID} from 'node:crypto'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Finished} from '../support/bookctl.js'
import {GUESTS, SEARCH} from '../support/stay.js'
import {load, signedEvent} from '../support/webhook-load.js'
import {contentOf, type FileHome} from './file-home.js'
import type {SandboxSide} from './sandbox-side.js'

export interface Errand {
  readonly argv: readonly string[]
  /** For servers: what is done with it once it says that it is ready; it is then ended with SIGTERM. */
  readonly serve?: (ready: Record<string, string>) => Promise<void>
  /** What is wrong after it, given how it ended. */
  readonly check?: (finished: Finished) => Promise<readonly string[]> | readonly string[]
}

export interface FileCommand {
  readonly name: string
  /** What it cannot do without: broken, it is refused. */
  readonly needs: readonly string[]
  /** What it looks at or writes by the way: it does its work without them. */
  readonly uses?: readonly string[]
  /** Whether its result holds what identifies people. */
  readonly tellsPeople?: boolean
  /** Whether its result holds a secret: that of the local sandbox, which is no secret. */
  readonly tellsSecret?: boolean
  /** Tables it removes from: a removal that could not be finished may have begun. */
  readonly removes?: readonly string[]
  /** How it ends when all is well; 0 unless told. */
  readonly exit?: number
  readonly errand: (home: FileHome, side: SandboxSide) => Promise<Errand> | Errand
}

const CONFIG = 'config.json'
const SIGNED_IN = [CONFIG, 'tokens.db']
const RECORDED = ['exchanges.jsonl']
const SECRET_TABLES = ['client_secrets', 'signing_secrets']

const typed =
  (...argv: string[]) =>
  () => ({argv})

/** Of config.json after a change: what it must say when the command says it did it. */
function configSays(home: FileHome, text: string): (finished: Finished) => string[] {
  return ({exit}) => {
    if (exit !== 0) return []
    return readFileSync(home.path(CONFIG), 'utf8').includes(text) ? [] : [`config.json lacks ${text}`]
  }
}

export const FILE_COMMANDS: readonly FileCommand[] = [
  {name: 'config list', needs: [CONFIG], errand: typed('config', 'list')},
  {name: 'profiles list', needs: [CONFIG], errand: typed('profiles', 'list')},
  {
    ...{name: 'config set', needs: [CONFIG], uses: ['locks']},
    errand: home => ({argv: ['config', 'set', 'currency', 'JPY'], check: configSays(home, 'JPY')}),
  },
  {name: 'config unset', needs: [CONFIG], uses: ['locks'], errand: typed('config', 'unset', 'currency')},
  {name: 'profiles use', needs: [CONFIG], uses: ['locks'], errand: typed('profiles', 'use', 'default')},
  {
    ...{name: 'profiles remove', needs: SIGNED_IN, uses: ['locks'], removes: SECRET_TABLES},
    errand: home => ({
      argv: ['profiles', 'remove', 'default', '--yes'],
      check: ({exit}) => {
        if (exit !== 0) return []
        const left = contentOf(home.path('tokens.db'))?.tables.client_secrets ?? []
        return left.length === 0 ? [] : ['the secret of the removed profile is still there']
      },
    }),
  },
  {
    ...{name: 'login', needs: SIGNED_IN, uses: ['locks', ...RECORDED]},
    errand: (home, side) => ({
      argv: [
        ...['login', '--base-url', side.baseUrl, '--profile', 'second', '--client-id', 'cid_sandbox'],
        ...['--client-secret-file', 'secret.txt'],
      ],
      check: configSays(home, '"second"'),
    }),
  },
  {
    ...{name: 'logout', needs: SIGNED_IN, uses: ['locks'], removes: SECRET_TABLES},
    errand: home => ({
      argv: ['logout'],
      check: ({exit}) => {
        if (exit !== 0) return []
        const left = readFileSync(home.path('tokens.db')).includes('sk_test_sandbox')
        return left ? ['the secret is still on the disk'] : []
      },
    }),
  },
  {name: 'whoami', needs: SIGNED_IN, errand: typed('whoami')},
  {name: 'token', needs: SIGNED_IN, uses: ['locks', ...RECORDED], errand: typed('token')},
  {name: 'account', needs: SIGNED_IN, uses: ['locks', ...RECORDED], errand: typed('account')},
  {
    ...{name: 'api --har', needs: SIGNED_IN, uses: ['locks', ...RECORDED]},
    errand: home => ({
      argv: ['api', 'GET', '/account', '--har', 'all.har'],
      check: ({exit, stderr}) =>
        wholeJson(join(home.directory, 'all.har'), exit === 0 && !/--har/.test(stderr)),
    }),
  },
  {
    ...{name: 'hotels search', needs: [...SIGNED_IN, 'state.db'], uses: ['locks', ...RECORDED]},
    errand: typed(...SEARCH),
  },
  {
    ...{name: 'reserve', needs: [...SIGNED_IN, 'state.db', 'locks'], uses: RECORDED, tellsPeople: true},
    async errand(home, side) {
      const reference = `file-${randomUUID()}`
      const how = ['--pay', 'account', '--client-reference', reference, '--nationality', 'TR']
      return {
        argv: ['reserve', await side.offer(), ...GUESTS, ...how],
        check: async ({exit}) => {
          const made = await side.reservationsWith(reference)
          const may = exit === 0 ? [1] : exit === 10 ? [0, 1] : [0]
          if (!may.includes(made)) return [`made ${made} reservations, with exit ${exit}`]
          if (exit !== 0 || !existsSync(home.path('state.db'))) return []
          const rows = contentOf(home.path('state.db'))?.tables.reservations ?? []
          return rows.some(row => row.includes(reference))
            ? []
            : ['the journal does not know the reservation']
        },
      }
    },
  },
  {name: 'journal', needs: ['state.db'], errand: typed('journal')},
  {
    ...{name: 'journal forget', needs: ['state.db'], uses: ['locks'], removes: ['reservations']},
    errand: home => ({
      argv: ['journal', 'forget', 'left-open', '--yes'],
      check: ({exit}) => {
        if (exit !== 0) return []
        const left = ['state.db', 'state.db-wal'].filter(
          name => existsSync(home.path(name)) && readFileSync(home.path(name)).includes('10000000146'),
        )
        return left.map(name => `an identity number is still in ${name}`)
      },
    }),
  },
  {
    ...{name: 'webhooks create', needs: [...SIGNED_IN, 'state.db'], uses: ['locks', ...RECORDED]},
    errand(home, side) {
      const url = `https://127.0.0.1:1/${randomUUID()}`
      return {
        argv: ['webhooks', 'create', '--url', url, '--event', 'voucher.ready'],
        check: async ({exit, stdout}) => {
          const all = await side.show<{url: string}[]>('/webhooks/subscriptions?limit=200')
          const made = all.filter(each => each.url === url).length
          if (made === 0) return exit === 0 ? ['there is no subscription'] : []
          const secret = /whsec_[\w-]+/.exec(stdout)?.[0]
          if (secret === undefined) return ['the subscription is there and its secret was not told']
          const rows = contentOf(home.path('tokens.db'))?.tables.signing_secrets ?? []
          const isKept = rows.some(row => row.includes(secret))
          return isKept === (exit === 0)
            ? []
            : [`exit ${exit}, and the secret is ${isKept ? '' : 'not '}kept`]
        },
      }
    },
  },
  {name: 'webhooks events list', needs: ['events.db'], errand: typed('webhooks', 'events', 'list')},
  {
    ...{name: 'webhooks listen', needs: ['events.db'], exit: 143},
    errand: home => listening(home, []),
  },
  {
    ...{
      name: 'webhooks listen --tls',
      needs: ['events.db'],
      uses: ['listen-ca.pem', 'listen-ca-key.pem', 'locks'],
    },
    exit: 143,
    errand: () => ({argv: ['webhooks', 'listen', '--tls'], serve: async () => {}}),
  },
  {
    ...{name: 'voucher download', needs: SIGNED_IN, uses: ['locks', ...RECORDED]},
    errand: home => ({
      argv: ['voucher', 'download', home.template.reservation, '--file', 'v.pdf'],
      check: ({exit}) => wholePdf(join(home.directory, 'v.pdf'), exit === 0),
    }),
  },
  {
    ...{name: 'support bundle', needs: [], uses: [...SIGNED_IN, 'state.db', 'events.db', ...RECORDED]},
    errand: home => ({
      argv: ['support', 'bundle', 'b.zip', '--yes'],
      check: ({exit}) => wholeZip(join(home.directory, 'b.zip'), exit === 0),
    }),
  },
  {
    ...{
      name: 'sandbox start',
      needs: ['sandbox.db'],
      uses: ['sandbox-running.json'],
      exit: 143,
      tellsSecret: true,
    },
    errand: () => ({argv: ['sandbox', 'start'], serve: async () => {}}),
  },
]

/** One event is sent; it is kept exactly when it was answered 200. */
export function listening(home: FileHome, argv: readonly string[]): Errand {
  const id = `evt_${randomUUID()}`
  let status = 0
  return {
    argv: ['webhooks', 'listen', ...argv],
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
      if (status === 0) return []
      const isKept = (contentOf(home.path('events.db'))?.tables.events ?? []).some(row => row.includes(id))
      if (status === 200 && !isKept) return ['answered 200 for an event that is lost']
      return [200, 503].includes(status) ? [] : [`answered ${status}`]
    },
  }
}

/** What failed is recorded, too. */
function wholeJson(path: string, isThere: boolean): string[] {
  if (isThere && !existsSync(path)) return [`${path} is not there`]
  if (existsSync(path)) JSON.parse(readFileSync(path, 'utf8'))
  return []
}

function wholePdf(path: string, isThere: boolean): string[] {
  if (existsSync(path) !== isThere) return [`${path} is ${isThere ? 'not there' : 'there'}`]
  if (!isThere) return []
  const text = readFileSync(path, 'latin1')
  return text.startsWith('%PDF-') && text.trimEnd().endsWith('%%EOF') ? [] : ['half a PDF']
}

function wholeZip(path: string, isThere: boolean): string[] {
  if (existsSync(path) !== isThere) return [`${path} is ${isThere ? 'not there' : 'there'}`]
  // The end of the central directory.
  return !isThere || readFileSync(path).includes(Buffer.from('PK\x05\x06')) ? [] : ['half an archive']
}
