import {DEFAULT_TIMEOUT_SECONDS} from '../../../api/http/send.js'
import {replayFailure} from '../../../cli/features/webhooks/events.js'
import {
  adviceOn,
  findMissing,
  MISSING_COLUMNS,
  missingResult,
} from '../../../cli/features/webhooks/missing.js'
import {
  chooseSigningSecrets,
  webhookHeaderNames,
  webhookSecretFlags,
} from '../../../cli/features/webhooks/secrets.js'
import {forwardStandIns, STAND_IN_COLUMNS, standInResult} from '../../../cli/features/webhooks/stand-in.js'
import {checkTarget, trustedFor} from '../../../cli/features/webhooks/targets.js'
import {readSince} from '../../../cli/input/checks.js'
import {checkedFlag} from '../../../cli/input/flags.js'
import {pathNote} from '../../../cli/session/own-paths.js'
import {profileName} from '../../../cli/session/resolve.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'
import {EXITS} from '../../../cli/shell/exit-codes.js'

export default class WebhooksEventsMissing extends BaseCommand {
  static override summary = 'Find the webhook events that should have come and did not'
  static override operations = {
    'reservations.list': '',
    'subscriptions.list': 'to know which events are subscribed',
    'subscriptions.deliveries': 'to know which may still come, where the service lists them',
    'reservations.show': 'with --forward-to',
  }
  static override description =
    `Compares the service's reservations with the events that webhooks listen stored, for example after a listener was down for
longer than the service tries again. Exits with ${EXITS.not_as_agreed.code} if any are missing. An event cannot be asked for again: look at the
reservation (bookctl reservations show), or hand it to your program with --forward-to, as an event of the type bookctl.missed,
signed with your own secret; the exit code is then that of webhooks events replay. Not called missing is what no subscription
lists or listed then, what may still come, and what may have been removed by webhooks events prune.
${pathNote(WebhooksEventsMissing.operations)}`
  static override examples = [
    'bookctl webhooks events missing',
    'bookctl webhooks events missing --since 7d --json',
    'bookctl webhooks events missing --since 1d --forward-to http://127.0.0.1:3000/hooks --secret-file signing-secret.txt',
  ]
  static override columns = [...MISSING_COLUMNS, ...STAND_IN_COLUMNS.slice(1)]
  static override flags = {
    since: checkedFlag(readSince)({
      helpValue: 'TIME|AGO',
      summary: 'only reservations made since a time, or in the last 30s, 10m, 2h, 1d',
    }),
    'forward-to': checkedFlag(checkTarget)({
      helpValue: 'URL',
      summary: 'hand each reservation to your program: https address, or http on this machine',
    }),
    ...webhookSecretFlags,
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksEventsMissing)
    const {since, 'forward-to': target} = flags
    const state = await this.state()
    const secrets = target === undefined ? [] : await chooseSigningSecrets(flags, state)
    const connection = await this.connect()
    const store = await state.events()
    const found = await findMissing(connection, {store, profile: profileName(flags, state), since})
    if (target === undefined) {
      await this.print(missingResult(found))
      if (!this.globals.json) this.tell(adviceOn(found))
      if (found.missing.length > 0) this.exitCode = EXITS.not_as_agreed.code
      return
    }
    const trusted = await trustedFor(target, flags['ca-file'], state.directory)
    const timeoutMilliseconds = (this.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000
    const headerNames = webhookHeaderNames(flags, state)
    const options = {trusted, timeoutMilliseconds}
    const forwarded = await forwardStandIns(connection, found, {target, secrets, headerNames, options})
    await this.print(standInResult(found, forwarded))
    if (!this.globals.json) this.tell(adviceOn({...found, missing: []}))
    const failure = replayFailure(forwarded)
    if (failure) this.exitCode = EXITS[failure].code
  }
}
