import {settingsPath} from '../../cli/features/access/config.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ConfigPath extends BaseCommand {
  static override summary = 'Print the path of the settings file'
  static override description =
    `With --json, also the directory and every file of ours in it. Reads none of them.`
  static override examples = ['bookctl config path', 'bookctl config path --json']
  static override environment = ['BOOKCTL_CONFIG_DIR']
  static override columns = ['path', 'directory', 'files']

  override readonly showsSettings = true

  async run(): Promise<void> {
    await this.parse(ConfigPath)
    await this.print(settingsPath(this.config.configDir))
  }
}
