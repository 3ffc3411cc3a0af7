import {allowFlag} from '../../cli/features/agents/flags.js'
import {TOOL_COLUMNS, toolList} from '../../cli/features/agents/tools.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class McpTools extends BaseCommand {
  static override summary = 'List the tools that an assistant gets'
  static override description =
    'With --json, as the client gets them from bookctl mcp with the same --allow: each with its input and output schema. Needs no login.'
  static override examples = ['bookctl mcp tools', 'bookctl mcp tools --allow reserve,cancel --json']
  static override environment = ['NO_COLOR']
  static override columns = TOOL_COLUMNS
  static override flags = allowFlag

  async run(): Promise<void> {
    const {flags} = await this.parse(McpTools)
    await this.print(toolList(flags.allow ?? []))
  }
}
