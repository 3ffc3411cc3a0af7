import {rmSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {certifyResult, hasFailed} from '../../cli/features/certify/sheet.js'
import {sheetFlags, writeSheets} from '../../cli/features/certify/sheet-files.js'
import {credentialsOf} from '../../cli/features/sandbox/command.js'
import {checkPrefix, runCommand, variablesOf} from '../../cli/features/sandbox/run.js'
import {sandboxDatabase, startAlone} from '../../cli/features/sandbox/start.js'
import {checkedFlag} from '../../cli/input/flags.js'
import {writeRecord} from '../../cli/session/sandbox-records.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import {isoTime, systemClock} from '../../contract/dates.js'
import {judge} from '../../sandbox/certify/judge.js'
import {proofOf} from '../../sandbox/certify/proof.js'
import {MAIN_CLIENT} from '../../sandbox/store/clients.js'
import {LISTEN_CA_NAME} from '../../state/file-names.js'

export default class SandboxRun extends BaseCommand {
  static override summary = 'Run a command with a local sandbox of its own'
  static override description =
    `Starts a sandbox on a free port, runs COMMAND with the environment that sandbox env prints, and stops the sandbox when the
command ends. The exit code is that of the command, or 128 plus the number of the signal that ended it. Signals are passed on.
The data is kept in memory, or in the file of --db. Other sandboxes are not touched. With --certify the sheet of sandbox certify
follows what the command prints; the exit code is then ${EXITS.not_as_agreed.code} if a required rule failed, or was not shown with --complete, and the command ended with 0.`
  static override environment = ['BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl sandbox run -- npm test',
    'bookctl sandbox run --env-prefix PARTNER --certify -- node partner.js',
    'bookctl sandbox run --certify --junit certify.xml -- npm test',
    'bookctl sandbox run --db sandbox.db -- ./book.sh --city 101',
  ]
  static override strict = false
  static override columns = []
  static override args = {
    command: Args.string({
      required: true,
      description: 'command to run, with its arguments; put it after --',
    }),
  }
  static override flags = {
    'env-prefix': checkedFlag(checkPrefix)({
      helpValue: 'PREFIX',
      summary: 'also export PREFIX_BASE_URL, PREFIX_CLIENT_ID and PREFIX_CLIENT_SECRET',
    }),
    certify: Flags.boolean({summary: 'judge the requests of the command, as sandbox certify does'}),
    complete: {...sheetFlags.complete, dependsOn: ['certify']},
    junit: {...sheetFlags.junit, dependsOn: ['certify']},
    html: {...sheetFlags.html, dependsOn: ['certify']},
    program: {...sheetFlags.program, dependsOn: ['html']},
    db: Flags.string({helpValue: 'FILE', summary: 'file that stores the state (default none)'}),
    'allow-http-loopback': Flags.boolean({summary: 'accept http addresses on this machine'}),
  }

  override readonly outlivesReader = true

  async run(): Promise<void> {
    const {raw, flags} = await this.parse(SandboxRun)
    // oclif sorts its own list of words by where each first occurs, so a repeated word would change its place.
    const command = raw.filter(({type}) => type === 'arg').map(({input}) => input)
    const {baseUrl, sandbox, startedAt} = await this.serve(flags)
    const env = variablesOf({base_url: baseUrl, ...credentialsOf()}, flags['env-prefix'])
    // While the command runs, signals are for the command, which decides when it ends.
    this.takesSignal = () => true
    this.exitCode = await runCommand(command, env)
    this.takesSignal = undefined
    if (!flags.certify) return
    const evidence = sandbox.evidence(MAIN_CLIENT, startedAt)
    const sheet = judge(evidence, MAIN_CLIENT, startedAt)
    const {configDir: directory, version} = this.config
    const proof = flags.html === undefined ? undefined : proofOf(evidence)
    await writeSheets(sheet, flags, {directory, version, proof})
    await this.print(certifyResult(sheet))
    if (hasFailed(sheet, flags.complete) && this.exitCode === 0) this.exitCode = EXITS.not_as_agreed.code
  }

  /** Starts the sandbox. Returns its base URL, and the time of its clock by then. */
  private async serve(flags: {readonly db?: string | undefined; readonly 'allow-http-loopback': boolean}) {
    const {configDir} = this.config
    const database = sandboxDatabase(flags.db ?? ':memory:', configDir)
    const [{createSandbox}, {serveSandbox}] = await Promise.all([
      import('../../sandbox/sandbox.js'),
      import('../../sandbox/serve.js'),
    ])
    return startAlone(configDir, database, async () => {
      const sandbox = createSandbox({
        database,
        databaseOwner: 'users',
        allowHttpLoopback: flags['allow-http-loopback'],
        caFile: join(configDir, LISTEN_CA_NAME),
      })
      this.whenStopped(() => sandbox.close())
      const {origin, baseUrl, close} = await serveSandbox(sandbox, 0)
      this.whenStopped(close)
      const started = {pid: process.pid, database, started_at: isoTime(systemClock.now())}
      const path = await writeRecord(configDir, {origin, base_url: baseUrl, ...started})
      if (path !== undefined) this.whenStopped(() => rmSync(path, {force: true}))
      return {baseUrl, sandbox, startedAt: sandbox.now()}
    })
  }
}
