import {FAULT_COLUMNS, SandboxCommand} from '../../../cli/features/sandbox/command.js'
import {listResult} from '../../../cli/terminal/result.js'

/** A fault that a drill armed hits one client only. */
const LISTED_COLUMNS = [...FAULT_COLUMNS, 'client_id']

export default class SandboxFaultList extends SandboxCommand {
  static override summary = 'List the active faults of the local sandbox'
  static override description = `In the order in which they apply.`
  static override examples = ['bookctl sandbox fault list', 'bookctl sandbox fault list --json']
  static override columns = LISTED_COLUMNS

  async run(): Promise<void> {
    await this.parse(SandboxFaultList)
    const answer = await this.control('/faults')
    if (!answer) return
    const faults = answer.data as Record<string, unknown>[]
    const result = listResult({faults}, faults, LISTED_COLUMNS)
    await this.print({...result, whenEmpty: 'No active faults.'})
  }
}
