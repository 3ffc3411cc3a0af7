import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {isFailed, PROBE_COLUMNS, probeReceiver, probeResult} from '../../cli/features/webhooks/probe.js'
import {webhookSecretFlags} from '../../cli/features/webhooks/secrets.js'
import {checkTarget} from '../../cli/features/webhooks/targets.js'
import {checkedArg} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import {openProgress} from '../../cli/terminal/progress.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'

export default class WebhooksProbe extends BaseCommand {
  static override summary = 'Check that a receiver handles webhooks correctly'
  static override description =
    `Sends signed test events (data.test is true), tampered ones, malformed headers, timestamps near the edges of the
tolerance, and bodies that do not survive being parsed and printed again. Prints how many cases passed, those that failed
and what to do; an answer must come within ${WEBHOOK_RESPONSE_SECONDS} seconds. If a receiver answers a valid request with 404 or 5xx, only that is
reported, and nothing more is sent; nor after two late answers in a row. Exits with 0 when nothing failed (advice is no failure), 5 when something did, 7 when it never
answered. A receiver takes the valid ones for real events: webhooks
listen stores them and forwards them. Uses the first of several secrets. Follows no redirect. Trusts the certificate of webhooks listen --tls on this
machine.`
  static override environment = ['BOOKCTL_WEBHOOK_SECRET', 'BOOKCTL_PROFILE', 'BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl webhooks probe http://127.0.0.1:3000/hooks --secret-file signing-secret.txt',
    'bookctl webhooks probe http://127.0.0.1:3000/hooks --secret-file signing-secret.txt --json',
  ]
  static override columns = PROBE_COLUMNS
  static override args = {
    url: checkedArg(checkTarget)({
      required: true,
      description: 'address of the receiver (https, or http on this machine)',
    }),
  }
  static override flags = {
    ...webhookSecretFlags,
    all: Flags.boolean({summary: 'print the cases that passed, too'}),
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksProbe)
    const progress = openProgress(flags.quiet, process.env)
    const options = {
      state: await this.state(),
      caFile: flags['ca-file'],
      timeoutSeconds: this.timeoutSeconds,
      onSend: (n: number, most: number) => {
        // In plain mode each label is a line, which would be too many.
        if (!progress?.isPlain) progress?.relabel(`waiting for the answer to request ${n} of ${most}`)
      },
    }
    const probe = () => probeReceiver(args.url, flags, options)
    const sheet = await (progress ? progress.during('waiting for the receiver', probe) : probe())
    await this.print(probeResult(args.url, sheet, flags.all))
    if (sheet.rows.some(isFailed)) this.exitCode = EXITS.refused.code
  }
}
