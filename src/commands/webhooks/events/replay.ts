import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {DEFAULT_TIMEOUT_SECONDS} from '../../../api/http/send.js'
import {
  describeReplay,
  planReplay,
  REPLAY_COLUMNS,
  replayEvents,
  replayFailure,
  replayResult,
} from '../../../cli/features/webhooks/events.js'
import {webhookSecretFlags} from '../../../cli/features/webhooks/secrets.js'
import {checkTarget, trustedFor} from '../../../cli/features/webhooks/targets.js'
import {checkedFlag} from '../../../cli/input/flags.js'
import {dryRunFlag} from '../../../cli/session/dry-run.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'
import {EXITS} from '../../../cli/shell/exit-codes.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'

export default class WebhooksEventsReplay extends BaseCommand {
  static override summary = 'Send received webhook events to an address again'
  static override description =
    `Sends them unchanged, with the original signature. A receiver refuses it after ${SIGNATURE_TOLERANCE_SECONDS} seconds; --resign signs again with the
current time. Exits with 0 when every answer is 2xx, otherwise with 4 (401, 403), 5 (other 4xx), 6 (anything else) or 7
(no answer). Trusts the certificate of webhooks listen --tls on this machine.`
  static override environment = [
    'BOOKCTL_WEBHOOK_SECRET',
    'BOOKCTL_PROFILE',
    'BOOKCTL_STORE',
    'BOOKCTL_CONFIG_DIR',
  ]
  static override examples = [
    'bookctl webhooks events replay evt_… --to http://127.0.0.1:3000/hooks',
    'bookctl webhooks events replay evt_… --to http://127.0.0.1:3000/hooks --resign --secret-file signing-secret.txt --json',
    'bookctl webhooks events replay evt_… --to http://127.0.0.1:3000/hooks --dry-run',
  ]
  static override strict = false
  static override columns = REPLAY_COLUMNS
  static override candidates = {event_id: 'events'} as const
  static override args = {
    event_id: Args.string({required: true, description: 'events, in the order to send them'}),
  }
  static override flags = {
    to: checkedFlag(checkTarget)({
      helpValue: 'URL',
      required: true,
      summary: 'https address, or http on this machine',
    }),
    resign: Flags.boolean({summary: 'sign again, with the current time'}),
    ...dryRunFlag,
    ...webhookSecretFlags,
  }

  async run(): Promise<void> {
    const {flags, argv} = await this.parse(WebhooksEventsReplay)
    const target = flags.to
    const state = await this.state()
    const replay = await planReplay(argv as string[], flags, state)
    const old = `${replay.old} of ${argv.length} signed too long ago`
    if (replay.old > 0) this.warn(`Warning: ${old} for a target that checks; sign again: --resign`)
    if (flags['dry-run']) return this.print(describeReplay(replay, target))
    const trusted = await trustedFor(target, flags['ca-file'], state.directory)
    const timeoutMilliseconds = (this.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000
    const replayed = await replayEvents(replay, target, {trusted, timeoutMilliseconds})
    await this.print(replayResult(replayed))
    const failure = replayFailure(replayed)
    if (failure) this.exitCode = EXITS[failure].code
  }
}
