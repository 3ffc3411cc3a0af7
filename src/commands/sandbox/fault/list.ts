import {SandboxCommand} from '../../../cli/features/sandbox/command.js'
import {FAULT_COLUMNS, faultList} from '../../../cli/features/sandbox/faults.js'

export default class SandboxFaultList extends SandboxCommand {
  static override summary = 'List the active faults of the local sandbox.'
  static override description = `In the order in which they apply. Environment: BOOKCTL_CONFIG_DIR.`
  static override examples = ['bookctl sandbox fault list', 'bookctl sandbox fault list --json']
  static override columns = FAULT_COLUMNS

  async run(): Promise<void> {
    await this.parse(SandboxFaultList)
    const answer = await this.control('/faults')
    if (answer) await this.print(faultList(answer.data))
  }
}
