import {EVENT_COLUMNS} from '../../cli/features/webhooks/event-lines.js'
import {listen} from '../../cli/features/webhooks/listen.js'
import {
  describeListening,
  idleTargetWarnings,
  listenFlags,
  planListening,
} from '../../cli/features/webhooks/listen-flags.js'
import {ListenLog, type LogFormat, logFormatIn} from '../../cli/features/webhooks/listen-log.js'
import {secretList} from '../../cli/features/webhooks/secrets.js'
import {unknownEventWarnings} from '../../cli/features/webhooks/subscriptions.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {type LoggedFailure, running} from '../../cli/shell/running.js'
import {whenReaderGoes} from '../../cli/terminal/streams.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../contract/limits.js'

export default class WebhooksListen extends BaseCommand {
  static override summary = 'Receive webhook events: check, store and forward them'
  static override operations = {
    'subscriptions.create': 'with --subscribe',
    'subscriptions.test': 'with --subscribe',
    'subscriptions.list': 'with --subscribe',
  }
  static override description =
    `Answers 200 when the event is on disk and 401 when a check fails. The signed event id identifies duplicates, also after
a restart. Each event is forwarded to every --forward-to address at least once, until it answers 2xx; after a kill, one may
come twice. An address after PATTERN= gets the types that match, where * stands for any characters. Once its signature is too old for the target (${SIGNATURE_TOLERANCE_SECONDS} s), an event is signed again with the secret that signed
it, or given up with the command that replays it. At a terminal each event is a row, with the cause where a signature fails.

With --json each line is a document with a type: "ready" once (url, pid, admin_url, targets), "event" for each request (verdict, reason,
event_id, event_type, duplicate, received_at, ack_ms, body_base64, headers, event) and "forward" for each attempt to forward
one (event_id, target, attempt, state, status, ms, late, error, next_attempt_at). A failure ends them with {"error": …}.

What it says beside that goes to stderr, each line with its time where no terminal is; --log json or --log text also logs each request
and forward, with stable keys: time, level, event, message, event_id, event_type, reason, status, ms, target, attempt.

SIGHUP, or a change of the files, reads --cert, --key and --secret-file again, and connections go on.

Checks with --secret-file, --secret-stdin or BOOKCTL_WEBHOOK_SECRET, otherwise with every secret stored for
the profile; needs no login.`
  static override environment = [
    'BOOKCTL_WEBHOOK_SECRET',
    'BOOKCTL_PROFILE',
    'BOOKCTL_STORE',
    'BOOKCTL_CONFIG_DIR',
  ]
  static override examples = [
    'bookctl webhooks listen --port 4020 --forward-to http://127.0.0.1:3000/hooks',
    'bookctl webhooks listen --port 4020 --admin 9464 --drain 5 --json',
    "bookctl webhooks listen --forward-to 'reservation.*=http://127.0.0.1:3000/bookings' --forward-to http://127.0.0.1:3000/all",
    'bookctl webhooks listen --json --exit-after 1 --within 60 --expect "type == \'reservation.confirmed\'"',
    'bookctl webhooks listen --tls --subscribe --public-url https://hooks.example.com/',
    'bookctl webhooks listen --subscribe --public-url https://hooks.example.com/ --dry-run',
  ]
  static override columns = EVENT_COLUMNS
  static override candidates = {event: 'event-types'} as const
  static override flags = listenFlags
  override readonly printsLines = true
  /** Where all lines go that are no results, once it is to listen. */
  private listenLog: ListenLog | undefined
  /** Whether it only prints something. It has no log then. */
  private isPrinting = false

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksListen)
    this.isPrinting = flags['print-secret'] || flags['dry-run']
    if (flags['print-secret']) return this.print(await secretList(flags, await this.state()))
    const plan = planListening(flags)
    const log = this.isPrinting ? undefined : this.openLog(flags.log)
    for (const warning of [...unknownEventWarnings(plan.types), ...idleTargetWarnings(plan)])
      this.warn(warning)
    if (log === undefined) {
      const target = flags.subscribe ? await this.target() : undefined
      return this.print(describeListening(plan, flags, await this.state(), target))
    }
    await whenReaderGoes(running.endWithReader)
    const connection = flags.subscribe ? await this.connect() : undefined
    await listen(this, log, plan, flags, connection)
  }

  private openLog(format: LogFormat | undefined): ListenLog {
    const log = new ListenLog(format, this.globals.quiet ?? false)
    this.whenStopped(() => log.end())
    this.listenLog = log
    return log
  }

  override tell(text: string | readonly string[]): void {
    if (this.listenLog) for (const line of [text].flat()) this.listenLog.writeText(line, 'info')
    else super.tell(text)
  }

  override warn<Text extends string | Error>(text: Text): Text {
    if (!this.listenLog) return super.warn(text)
    this.listenLog.writeText(String(text), 'warn')
    return text
  }

  async logFailure(failure: LoggedFailure): Promise<boolean> {
    const format = logFormatIn(running.argv)
    if (this.isPrinting && format === undefined) return false
    return (this.listenLog ?? this.openLog(format)).writeFailure(failure)
  }
}
