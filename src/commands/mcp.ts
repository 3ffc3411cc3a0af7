import process from 'node:process'
import {checkTarget, mcpFlags, readPermissions} from '../cli/features/agents/flags.js'
import {ListenLog, type LogFormat, logFormatIn} from '../cli/features/webhooks/listen-log.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {type LoggedFailure, running} from '../cli/shell/running.js'
import {stdinIsTerminal} from '../cli/terminal/streams.js'

export default class Mcp extends BaseCommand {
  static override summary =
    'Serve assistants: search, reserve and cancel within limits (Model Context Protocol)'
  /** What the tools call together. */
  static override operations = {
    'hotels.search': '',
    'hotels.price': '',
    'content.cities': '',
    'content.countries': '',
    'content.currencies': '',
    'reservations.show': '',
    'reservations.list': '',
    'reservations.quote': '',
    'voucher.show': '',
    'account.show': '',
    'subscriptions.list': '',
    'reservations.create': 'with --allow reserve',
    'reservations.cancel': 'with --allow cancel',
  }
  static override description =
    `Serves one client over stdin and stdout, until stdin ends; nothing but the protocol is written to stdout. Clients start it
themselves: bookctl mcp install writes the entry. An assistant can only read unless --allow names what it may change. What it
reserves never passes --max-total in 24 hours, counted over all servers of this client on this machine or its shared store. A
person approves each reservation and each cancellation: in the client, or with bookctl mcp approve. It cannot choose the
Idempotency-Key, so what it repeats is never booked twice.
Stdin and stdout belong to the client, so what a person should know goes to stderr, and with --log each call too: time, level,
event, message, tool, code, ms, program.`
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
    if (stdinIsTerminal())
      this.note('Waiting for a client of the Model Context Protocol on standard input; Ctrl-C ends.')
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
