import {listeningSandboxes} from '../../cli/session/sandbox-records.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {listResult} from '../../cli/terminal/result.js'

const COLUMNS = ['base_url', 'pid', 'database', 'started_at'] as const

export default class SandboxList extends BaseCommand {
  static override summary = 'List the local sandboxes that are running, the newest first'
  static override description = 'Commands use the newest; --base-url chooses another.'
  static override environment = ['BOOKCTL_CONFIG_DIR']
  static override examples = ['bookctl sandbox list', 'bookctl sandbox list --json']
  static override columns = [...COLUMNS]

  async run(): Promise<void> {
    await this.parse(SandboxList)
    const sandboxes = await listeningSandboxes(this.config.configDir)
    const whenEmpty = 'No local sandbox is running. Start one: bookctl sandbox start'
    await this.print({...listResult({sandboxes}, sandboxes, COLUMNS), whenEmpty})
  }
}
