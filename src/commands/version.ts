import {BaseCommand} from '../cli/shell/base-command.js'
import {checkColumns} from '../cli/terminal/output.js'

export default class Version extends BaseCommand {
  static override hidden = true
  static override summary = 'Print the version; with --verbose the environment in effect'
  static override examples = ['bookctl version', 'bookctl version --verbose']

  override readonly showsSettings = true

  async run(): Promise<void> {
    const {flags} = await this.parse(Version)
    const {versionResult} = await import('../cli/shell/help/environment.js')
    const {name, version, configDir} = this.config
    const result = versionResult({name, version, configDirectory: configDir, env: process.env}, flags.verbose)
    checkColumns(
      result.columns.map(column => column.name),
      flags.columns,
    )
    await this.print(result)
  }
}
