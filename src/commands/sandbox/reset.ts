import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {requireConsent} from '../../cli/terminal/prompts/ask.js'
import {single} from '../../cli/terminal/result.js'

export default class SandboxReset extends SandboxCommand {
  static override summary = 'Reset the local sandbox'
  static override description =
    `Deletes reservations, tokens, events and subscriptions, and sets the clock back.
Asks at a terminal.`
  static override examples = ['bookctl sandbox reset', 'bookctl sandbox reset --yes --json']
  static override columns = ['reset', 'origin']
  static override flags = {yes: Flags.boolean({summary: 'do not ask at a terminal'}), ...dryRunFlag}

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxReset)
    const {origin} = await this.running()
    if (!this.isDryRun) {
      const question = `Delete everything that the local sandbox at ${origin} stores?`
      // Scripts are not asked, because they reset the sandbox between tests.
      const agreed = (await this.agreed(flags.yes, question)) ?? true
      requireConsent(agreed, {what: 'a reset', undone: 'nothing was deleted'})
    }
    const done = {reset: true, origin}
    if (await this.control('/reset', {body: {}})) await this.print(single(done, done, origin))
  }
}
