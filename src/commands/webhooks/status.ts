import {LISTENER_COLUMNS, readStatus, statusResult} from '../../cli/features/webhooks/status.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'

export default class WebhooksStatus extends BaseCommand {
  static override summary = 'Show whether events are received and forwarded'
  static override description =
    `Reads the store of events, of this machine or shared, and needs no --admin: which listeners run or were killed, the last event,
the events of the last hour by type, what was refused and why, what is still to be forwarded, and what is near its limit.

Exits with 0 if a listener runs that can acknowledge events and no forward is older than an hour, else with ${EXITS.pending.code}: none runs, it was
killed, or the store fails.`
  static override examples = [
    'bookctl webhooks status',
    'bookctl webhooks status --json',
    'bookctl webhooks status --query forwards.pending',
  ]
  static override environment = ['BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override columns = LISTENER_COLUMNS

  async run(): Promise<void> {
    await this.parse(WebhooksStatus)
    const status = await readStatus(await this.state())
    await this.print(statusResult(status))
    if (!status.healthy) this.exitCode = EXITS.pending.code
  }
}
