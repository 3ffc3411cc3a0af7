import process from 'node:process'
import {checkTarget, mcpFlags, readPermissions} from '../cli/features/agents/flags.js'
import {ListenLog, type LogFormat, logFormatIn} from '../cli/features/webhooks/listen-log.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {type LoggedFailure, running} from '../cli/shell/running.js'

export default class Mcp extends BaseCommand {
  static override summary =
    'Serve assistants: search, reserve and cancel within limits (Model Context Protocol)'
  static override operations = {
    'hotels.search': '',
    'hotels.price': '',
    'content.cities': 'to find cities by name',
    'content.countries': '',
    'content.currencies': '',
    'reservations.show': '',
    'reservations.list': '',
    'voucher.show': '',
    'account.show': '',
  }
  static override description =
    `Reads requests of one client on stdin and answers on stdout, until stdin ends; nothing else is written to stdout. Clients start
it themselves: bookctl mcp install writes the entry. Without --allow an assistant can only read.`
  static override examples = [
    'bookctl mcp',
    'bookctl mcp --allow reserve,cancel --max-total "1500 EUR" --max-each "900 EUR" --per-day 3',
    'bookctl mcp tools --allow reserve,cancel',
  ]
  static override flags = mcpFlags
  private serverLog: ListenLog | undefined

  async run(): Promise<void> {
    const {flags} = await this.parse(Mcp)
    const permissions = readPermissions(flags)
    const target = await this.target()
    checkTarget(target, flags)
    const log = this.openLog(flags.log)
    // From here on stdout belongs to the protocol, also when the command fails.
    this.hasPrinted = true
    const {serveAgents} = await import('../cli/features/agents/serve.js')
    const options = {
      permissions,
      preferences: await this.preferences(),
      connectOptions: () => this.connectOptions(),
      voucherDirectory: flags['voucher-dir'],
    }
    await serveAgents(this, log, options, process)
  }

  private openLog(format: LogFormat | undefined): ListenLog {
    const log = new ListenLog(format, true)
    this.whenStopped(() => log.end())
    this.serverLog = log
    return log
  }

  override warn<Text extends string | Error>(text: Text): Text {
    if (!this.serverLog) return super.warn(text)
    this.serverLog.writeText(String(text), 'warn')
    return text
  }

  async logFailure(failure: LoggedFailure): Promise<boolean> {
    const format = logFormatIn(running.argv)
    if (!this.serverLog && format === undefined) return false
    return (this.serverLog ?? this.openLog(format)).writeFailure(failure)
  }
}
