import {FIRST_SANDBOX_PORT, runningSandboxes} from '../../cli/session/sandbox-records.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {jsonResult} from '../../cli/terminal/result.js'

export default class SandboxOpenapi extends BaseCommand {
  static override summary = 'Print the OpenAPI 3.1 description of the service'
  static override description =
    `Generated from the schemas of the local sandbox; what the interface does not show is marked x-source: ours.`
  static override environment = ['BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl sandbox openapi > openapi.json',
    'bookctl sandbox openapi --query openapi',
  ]
  static override columns = []

  async run(): Promise<void> {
    await this.parse(SandboxOpenapi)
    const serverUrl = this.typed['base-url'] || runningSandboxes(this.config.configDir)[0]?.base_url
    const {openApiDocument} = await import('../../contract/openapi.js')
    const document = openApiDocument({
      serverUrl: serverUrl ?? `http://127.0.0.1:${FIRST_SANDBOX_PORT}/partner-api/v1`,
    })
    await this.print(jsonResult(document))
  }
}
