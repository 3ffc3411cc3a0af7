import * as Args from '@oclif/core/args'
import {APPROVE_COLUMNS, approve} from '../../cli/features/agents/approve.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class McpApprove extends BaseCommand {
  static override summary = 'Approve or decline what an agent has prepared'
  static override description =
    `Shows what is booked or cancelled, for how much, and which program asked, and asks at a terminal; there is no flag that
answers in place of a person. Nothing is sent: the agent calls its tool again, which then goes on. What was declined cannot be
used any more; the agent can prepare it again. A question that is stopped with Ctrl-C decides nothing.
The handle belongs to the client that the server of the agent uses, so the same profile is needed.`
  static override examples = ['bookctl mcp approve hdl_…', 'bookctl mcp approve hdl_… --profile agents']
  static override columns = APPROVE_COLUMNS
  static override args = {
    handle: Args.string({required: true, description: 'handle, as the agent or its tool shows it (hdl_…)'}),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(McpApprove)
    await this.print(await approve(this, args.handle))
  }
}
