import {SandboxCommand} from '../../../cli/features/sandbox/command.js'
import {dryRunFlag} from '../../../cli/session/dry-run.js'
import {single} from '../../../cli/terminal/result.js'

export default class SandboxFaultClear extends SandboxCommand {
  static override summary = 'Remove all faults of the local sandbox'
  static override description = `Requests are answered as usual again.`
  static override examples = ['bookctl sandbox fault clear', 'bookctl sandbox fault clear --json']
  static override columns = ['cleared', 'origin']
  static override flags = dryRunFlag

  async run(): Promise<void> {
    await this.parse(SandboxFaultClear)
    const {origin} = await this.running()
    const done = {cleared: true, origin}
    if (await this.control('/faults', {method: 'DELETE'})) await this.print(single(done, done, origin))
  }
}
