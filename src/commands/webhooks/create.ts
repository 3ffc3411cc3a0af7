import * as Flags from '@oclif/core/flags'
import {
  createAndKeep,
  eventFlag,
  failNotStored,
  requireHttps,
  SEVERAL_TYPES,
  subscriptionUrlFlag,
  unknownEventWarnings,
  warningsBefore,
} from '../../cli/features/webhooks/subscriptions.js'
import {checkNewFile} from '../../cli/input/files.js'
import {checkedFlag} from '../../cli/input/flags.js'
import {profileName} from '../../cli/session/resolve.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'

export default class WebhooksCreate extends BaseCommand {
  static override summary = 'Subscribe an https address to events'
  static override operations = {
    'subscriptions.create': '',
    'subscriptions.list': 'to warn of a second subscription',
  }
  static override description =
    `The service shows the signing secret once: it is stored, for webhooks verify and listen, before it is printed. Nothing is
sent twice: after a lost answer the exit code is ${EXITS.outcome_unknown.code}, and nothing more is sent for this address without --again.
Warns if the address has a subscription already, where the service lists them, and if what listens on this machine answers 404
for its path.`
  static override examples = [
    'bookctl webhooks create --url https://partner.example/hooks --event reservation.confirmed --event voucher.ready',
    'bookctl webhooks create --url https://partner.example/hooks --event payment.failed --dry-run',
    'bookctl webhooks create --url https://partner.example/more --event voucher.ready --secret-file secret.key --quiet',
  ]
  static override columns = ['id', 'url', 'events', 'secret', 'is_active', 'stored_in', 'secret_file']
  static override candidates = {event: 'event-types'} as const
  static override flags = {
    url: subscriptionUrlFlag({
      required: true,
      helpValue: 'HTTPS_URL',
      summary: 'address to send the events to',
    }),
    event: eventFlag({
      ...SEVERAL_TYPES,
      required: true,
      summary: 'event type, for example reservation.confirmed (repeatable)',
    }),
    'secret-file': checkedFlag(checkNewFile)({
      helpValue: 'FILE',
      summary: 'also write the signing secret to a new file that only you can read',
    }),
    again: Flags.boolean({summary: 'create it even if the outcome of an earlier creation is unknown'}),
    'dry-run': Flags.boolean({summary: 'print the request and send nothing'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksCreate)
    const {url} = flags
    const events = [...new Set(flags.event)]
    const target = await this.target()
    requireHttps(url, target)
    const wanted = {url, events}
    for (const warning of unknownEventWarnings(events)) this.warn(warning)
    if (flags['dry-run']) return this.printRequest('subscriptions.create', target, {body: wanted})
    const connection = await this.connect(target)
    const profile = profileName(flags, connection.state)
    const doubts = await warningsBefore(connection, url, profile, await this.connectOptions())
    for (const warning of doubts) this.warn(warning)
    const kept = await createAndKeep(connection, wanted, flags)
    for (const warning of kept.warnings) this.warn(`Warning: ${warning}`)
    if (kept.problem) return failNotStored(this, kept, flags)
    await this.print(kept.result)
    this.note(`The signing secret is not shown again by the service; it is stored (${kept.stored_in}).`)
  }
}
