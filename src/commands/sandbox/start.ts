import {join} from 'node:path'
import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {
  cannotListen,
  oneAtATime,
  removeNote,
  sandboxDatabase,
  writeNote,
} from '../../cli/features/sandbox/note.js'
import {SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET} from '../../cli/features/sandbox/running.js'
import {portFlag} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {openAddress} from '../../cli/terminal/open-address.js'
import {LISTEN_CA_NAME} from '../../state/file-names.js'

export default class SandboxStart extends BaseCommand {
  static override summary = 'Run the whole service on this machine until Ctrl-C.'
  static override description =
    `Listens on 127.0.0.1 only. The state survives a restart; it is stored in sandbox.db of the configuration directory, or in
the file of --db. Environment: BOOKCTL_CONFIG_DIR.`
  static override examples = [
    'bookctl sandbox start',
    'bookctl sandbox start --port 4010 --db :memory: --json',
    'bookctl sandbox start --offers 10000',
  ]
  static override columns = []
  static override flags = {
    port: portFlag,
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
      max: 20_000,
      summary: 'number of offers each search finds, up to 20000 (default those of 12 to 20 hotels)',
    }),
    open: Flags.boolean({summary: 'open the dashboard in the browser'}),
    'until-stdin-ends': Flags.boolean({
      summary: 'end when standard input ends, for programs that start a sandbox',
    }),
    'allow-http-loopback': Flags.boolean({summary: 'accept http addresses on this machine'}),
  }

  override readonly printsLines = true

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxStart)
    const {port, latency: latencyMilliseconds, offers} = flags
    const database = sandboxDatabase(flags.db, this.config.configDir)
    const [{createSandbox}, {serveSandbox}] = await Promise.all([
      import('../../sandbox/sandbox.js'),
      import('../../sandbox/serve.js'),
    ])
    const allowHttpLoopback = flags['allow-http-loopback']
    const caFiles = [join(this.config.configDir, LISTEN_CA_NAME)]
    const databaseOwner = flags.db ? ('users' as const) : ('ours' as const)
    const sandbox = await oneAtATime(this.config.configDir, database, () =>
      createSandbox({database, databaseOwner, offers, latencyMilliseconds, allowHttpLoopback, caFiles}),
    )
    this.whenStopped(() => sandbox.close())
    const served = await serveSandbox(sandbox, {host: '127.0.0.1', port}).catch(error =>
      cannotListen(error, port),
    )
    this.whenStopped(() => served.close())
    this.announce(served.origin, served.baseUrl)
    if (flags.open) openAddress(`${served.origin}/`)
    await (flags['until-stdin-ends'] ? endOfStandardInput() : new Promise<never>(() => {}))
  }

  private announce(origin: string, baseUrl: string): void {
    const {pid} = process
    const note = {origin, base_url: baseUrl, pid}
    if (writeNote(this.config.configDir, note)) this.whenStopped(() => removeNote(this.config.configDir, pid))
    const credentials = {client_id: SANDBOX_CLIENT_ID, client_secret: SANDBOX_CLIENT_SECRET}
    const ready = {type: 'ready', base_url: baseUrl, origin, ...credentials, pid}
    const lines = [
      `The local sandbox is ready at ${baseUrl}`,
      `Client id ${SANDBOX_CLIENT_ID}, client secret ${SANDBOX_CLIENT_SECRET}`,
      `Dashboard: ${origin}/`,
      'In another terminal: eval "$(bookctl sandbox env)"',
      'Press Ctrl-C to stop.',
    ]
    process.stdout.write(`${this.globals.json ? JSON.stringify(ready) : lines.join('\n')}\n`)
  }
}

function endOfStandardInput(): Promise<void> {
  return new Promise(resolve => {
    process.stdin.on('end', resolve).on('error', resolve).resume()
  })
}
