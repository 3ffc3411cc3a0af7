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
    const {flags} = await this.parse(SandboxReset)
    if (flags['dry-run']) return this.print(this.describe('/reset', {}))
    const {origin} = this.running()
    await this.control('/reset', {})
    const done = {reset: true, origin}
    await this.print(single(done, done, origin))
  }
}
