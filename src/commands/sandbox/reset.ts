import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {single} from '../../cli/terminal/result.js'

export default class SandboxReset extends SandboxCommand {
  static override summary = 'Reset the local sandbox.'
  static override description =
    `Deletes reservations, tokens, events and subscriptions, and sets the clock back. Environment: BOOKCTL_BASE_URL, BOOKCTL_CONFIG_DIR.`
  static override examples = ['bookctl sandbox reset', 'bookctl sandbox reset --json']
  static override columns = ['reset', 'origin']
  static override flags = dryRunFlag

  async run(): Promise<void> {
    await this.parse(SandboxReset)
    const done = {reset: true, origin: this.running().origin}
    if (await this.control('/reset', {})) await this.print(single(done, done, done.origin))
  }
}
