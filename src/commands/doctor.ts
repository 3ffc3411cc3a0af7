import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {DiagnosingCommand, DOCTOR_COLUMNS, doctorResult, summaryOf} from '../cli/features/doctor/doctor.js'
import {checkTarget} from '../cli/features/webhooks/targets.js'
import {checkedFlag} from '../cli/input/flags.js'
import {EXITS} from '../cli/shell/exit-codes.js'
import {isForPeople, terminalOf} from '../cli/terminal/output.js'

export default class Doctor extends DiagnosingCommand {
  static override summary = 'Check this machine, the connection and the credentials'
  static override operations = {'account.show': ''}
  static override description =
    `Checks versions, configuration, permissions, databases, environment, settings and store; then proxy, DNS,
connection, TLS certificates, the service's answer, its clock, the token, its scopes and the account; then signing
secrets, whether a listener receives events and, with --receiver, a webhook receiver. It uses the same network code as every command, and works without a
login, with a broken configuration and without a network. Each check is ok, warn, fail or skipped, and says what to
do. The exit code is that of the first failed check: 2 for this machine and its configuration, 4 for credentials, 7
for the network, 6 for the service, 5 for the receiver; 0 if none failed.`
  static override examples = [
    'bookctl doctor',
    'bookctl doctor --offline --json',
    `bookctl doctor --query "checks[?status!='ok'].[name, detail, fix]"`,
  ]
  static override columns = DOCTOR_COLUMNS
  static override flags = {
    offline: Flags.boolean({summary: 'check this machine only'}),
    receiver: checkedFlag(checkTarget)({
      helpValue: 'URL',
      summary:
        'webhook receiver to probe, as webhooks probe does: webhooks listen stores and forwards what it is sent',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(Doctor)
    const checks = await this.diagnose(flags.offline, flags.receiver)
    await this.print(doctorResult(checks))
    const failed = checks.find(({status}) => status === 'fail')
    if (failed) this.exitCode = EXITS[failed.kind ?? 'unexpected'].code
    const isSaid = this.globals.quiet || isForPeople(this.globals, terminalOf(process.stdout))
    if (this.exitCode !== 0 && !isSaid) this.warn(summaryOf(checks))
  }
}
