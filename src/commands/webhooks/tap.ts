import {TAP_COLUMNS, tap, tapFlags} from '../../cli/features/webhooks/tap.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {running} from '../../cli/shell/running.js'
import {whenReaderGoes} from '../../cli/terminal/streams.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../contract/limits.js'

export default class WebhooksTap extends BaseCommand {
  static override summary = 'Watch the webhooks of a receiver that exists'
  static override description =
    `Stands before the receiver at --to: passes every request on unchanged, with its method, path, headers and body, and answers
what the receiver answered. Send to the address that it prints instead of to the receiver's. Shows beside each request whether
its signature, age and event id are right, what was answered and how fast (a receiver has ${WEBHOOK_RESPONSE_SECONDS} s), and the cause of what is
wrong. A receiver that does not answer is answered for with 502, or 504 after --timeout (default 60 s). Stores nothing without
--capture.

With --json each line is a document with a type: "ready" once (url, pid, to), then "event" for each request, as webhooks listen
prints it, with answered, answer_ms, late, error, method, path, age_seconds, secret and findings.

Checks with --secret-file, --secret-stdin or BOOKCTL_WEBHOOK_SECRET, otherwise with every secret stored for the profile; needs
no login. A receiver on this machine gets the Host header as it came, another one its own name.`
  static override environment = ['BOOKCTL_WEBHOOK_SECRET', 'BOOKCTL_PROFILE', 'BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl webhooks tap --to http://127.0.0.1:3000/hooks',
    'bookctl webhooks tap --to http://127.0.0.1:3000/hooks --port 8080 --json --capture requests.ndjson',
  ]
  static override columns = TAP_COLUMNS
  static override flags = tapFlags
  override readonly printsLines = true

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksTap)
    await whenReaderGoes(running.endWithReader)
    await tap(this, flags)
  }
}
