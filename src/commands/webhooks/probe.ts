import process from 'node:process'
import {
  checkReceiverUrl,
  PROBE_COLUMNS,
  probeReceiver,
  probeResult,
} from '../../cli/features/webhooks/probe.js'
import {webhookSecretFlags} from '../../cli/features/webhooks/secrets.js'
import {checkedArg} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'

export default class WebhooksProbe extends BaseCommand {
  static override summary = 'Check that a receiver handles webhooks correctly.'
  static override description =
    `Sends signed test events (data.test is true), tampered ones, malformed headers, timestamps at the edges of the tolerance,
and bodies that do not survive being parsed and printed again. Prints what the receiver answered, what it should have
answered, and whether it took at most ${WEBHOOK_RESPONSE_SECONDS} seconds. Exits with 0 when everything was right, 5 when not, 7 when it never answered.
Uses the first of several secrets. Follows no redirect. Trusts the certificate of webhooks listen --tls on this machine.
Environment: BOOKCTL_WEBHOOK_SECRET, BOOKCTL_PROFILE, BOOKCTL_CA_FILE.`
  static override examples = [
    'bookctl webhooks probe "$RECEIVER" --secret-file signing-secret.txt',
    'bookctl webhooks probe "$RECEIVER" --secret-file signing-secret.txt --json',
  ]
  static override columns = PROBE_COLUMNS
  static override args = {
    url: checkedArg(checkReceiverUrl)({
      required: true,
      description: 'address of the receiver (https, or http on this machine)',
    }),
  }
  static override flags = webhookSecretFlags

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksProbe)
    const rows = await probeReceiver(args.url, flags, {
      state: await this.state(),
      env: process.env,
      caFile: flags['ca-file'],
      timeoutSeconds: this.timeoutSeconds,
      onRow: row => this.note(`${row.ok ? 'ok  ' : 'FAIL'} ${row.case}`),
    })
    await this.print(probeResult(args.url, rows))
    const failed = rows.filter(({ok}) => !ok)
    if (!flags.json && flags.format === undefined)
      for (const row of failed) this.tell(`${row.case}: ${row.advice}`)
    if (failed.length > 0) this.exitCode = EXITS.refused.code
  }
}
