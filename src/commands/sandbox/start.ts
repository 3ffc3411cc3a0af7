import {once} from 'node:events'
import {rmSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {credentialsOf} from '../../cli/features/sandbox/command.js'
import {SandboxObserver} from '../../cli/features/sandbox/observe.js'
import {listenOn, serveAdminOn} from '../../cli/features/sandbox/port.js'
import {createRequestLines, sandboxDatabase, startAlone} from '../../cli/features/sandbox/start.js'
import {adminFlag, portFlag} from '../../cli/input/flags.js'
import {FIRST_SANDBOX_PORT, writeRecord} from '../../cli/session/sandbox-records.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {jsonText} from '../../cli/terminal/json-text.js'
import {openAddress} from '../../cli/terminal/open-address.js'
import {isoTime, systemClock} from '../../contract/dates.js'
import {LISTEN_CA_NAME} from '../../state/file-names.js'

const MOST_OFFERS = 20_000

export default class SandboxStart extends BaseCommand {
  static override summary = 'Run the whole service on this machine until Ctrl-C'
  static override description =
    `Listens on 127.0.0.1 only, on the same port as the last time, and prints each request as it is answered (--quiet: none; with
--json a line of "type":"request"). The state survives a restart; it is stored in sandbox.db of the configuration directory,
or in the file of --db. Several can run, each on a database of its own.`
  static override environment = ['BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl sandbox start',
    'bookctl sandbox start --port 4010 --db :memory: --json',
    'bookctl sandbox start --offers 10000 --quiet',
  ]
  static override columns = []
  static override flags = {
    port: portFlag(
      `the last one of the database, first ${FIRST_SANDBOX_PORT}; another one if that is in use`,
    ),
    db: Flags.string({helpValue: 'FILE|:memory:', summary: 'file that stores the state'}),
    latency: Flags.integer({
      helpValue: 'MS',
      min: 0,
      max: 60_000,
      default: 0,
      summary: 'delay of every operation in milliseconds',
    }),
    offers: Flags.integer({
      helpValue: 'N',
      min: 1,
      max: MOST_OFFERS,
      summary: `number of offers each search finds, up to ${MOST_OFFERS} (default those of 12 to 20 hotels)`,
    }),
    admin: adminFlag('health and metrics of the sandbox'),
    open: Flags.boolean({summary: 'open the dashboard in the browser'}),
    'until-stdin-ends': Flags.boolean({
      summary: 'end when standard input ends, for programs that start a sandbox',
    }),
    'allow-http-loopback': Flags.boolean({summary: 'accept http addresses on this machine'}),
  }

  override readonly printsLines = true
  override readonly outlivesReader = true

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxStart)
    const {latency: latencyMilliseconds, offers, 'allow-http-loopback': allowHttpLoopback} = flags
    const {configDir} = this.config
    const database = sandboxDatabase(flags.db, configDir)
    const lines = flags.quiet ? undefined : createRequestLines(flags.json)
    const [{createSandbox}, {serveSandbox}] = await Promise.all([
      import('../../sandbox/sandbox.js'),
      import('../../sandbox/serve.js'),
    ])
    const observer = flags.admin && new SandboxObserver(this.config.version)
    const origin = await startAlone(configDir, database, async () => {
      const sandbox = createSandbox({
        database,
        offers,
        latencyMilliseconds,
        allowHttpLoopback,
        databaseOwner: flags.db ? 'users' : 'ours',
        caFile: join(configDir, LISTEN_CA_NAME),
        onAnswered: request => {
          lines?.add(request)
          observer?.answered(request)
        },
      })
      this.whenStopped(() => sandbox.close())
      const admin = observer && flags.admin && (await serveAdminOn(observer.observe(sandbox), flags.admin))
      this.whenStopped(() => admin?.close())
      const usual = sandbox.lastPort ?? FIRST_SANDBOX_PORT
      const wanted = {typed: flags.port, usual, tell: (text: string) => this.tell(text)}
      const served = await listenOn(wanted, port => serveSandbox(sandbox, port))
      this.whenStopped(() => served.close())
      await this.announce(served, admin?.url, database)
      this.whenStopped(() => lines?.end())
      return served.origin
    })
    if (flags.open) openAddress(`${origin}/`)
    const ended = flags['until-stdin-ends']
      ? once(process.stdin.resume(), 'end')
      : new Promise<never>(() => {})
    await ended.catch(() => undefined)
  }

  /**
   * Prints the address and credentials. Call it before anything else is awaited: no request is answered until then, so this is
   * the first output.
   */
  private async announce(
    {origin, baseUrl: base_url}: {readonly origin: string; readonly baseUrl: string},
    admin_url: string | undefined,
    database: string,
  ): Promise<void> {
    const {pid} = process
    const record = {base_url, origin, pid, database, started_at: isoTime(systemClock.now())}
    const path = await writeRecord(this.config.configDir, record)
    if (path !== undefined) this.whenStopped(() => rmSync(path, {force: true}))
    const {client_id, client_secret} = credentialsOf()
    const admin = admin_url === undefined ? {} : {admin_url}
    const ready = {type: 'ready', base_url, origin, client_id, client_secret, pid, ...admin}
    const words = [
      `The local sandbox is ready at ${base_url}`,
      `Client id ${client_id}, client secret ${client_secret}`,
      `Dashboard: ${origin}/`,
      ...(admin_url === undefined ? [] : [`Health and metrics: ${admin_url}/healthz, /readyz, /metrics`]),
      'In another terminal: eval "$(bookctl sandbox env)"',
      'Press Ctrl-C to stop.',
    ]
    process.stdout.write(`${this.globals.json ? jsonText(ready) : words.join('\n')}\n`)
  }
}
