import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET} from '../../cli/features/sandbox/running.js'
import {exportLines, SHELLS} from '../../cli/session/shells.js'
import {single} from '../../cli/terminal/result.js'

export default class SandboxEnv extends SandboxCommand {
  static override summary = 'Print the environment that points commands at the local sandbox.'
  static override description =
    `For eval "$(bookctl sandbox env)". Environment: BOOKCTL_BASE_URL, BOOKCTL_CONFIG_DIR.`
  static override examples = ['eval "$(bookctl sandbox env)"', 'bookctl sandbox env --shell fish']
  static override columns = ['BOOKCTL_BASE_URL', 'BOOKCTL_CLIENT_ID', 'BOOKCTL_CLIENT_SECRET']
  static override flags = {
    shell: Flags.string({options: SHELLS, default: 'sh', summary: 'shell whose syntax to use'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxEnv)
    const {base_url} = this.running()
    // The environment may name a sandbox that has ended; its exports would only fail later.
    await this.control('/clock')
    const variables = {
      BOOKCTL_BASE_URL: base_url,
      BOOKCTL_CLIENT_ID: SANDBOX_CLIENT_ID,
      BOOKCTL_CLIENT_SECRET: SANDBOX_CLIENT_SECRET,
    }
    const text = exportLines(variables, flags.shell)
    await this.print({...single(variables, variables, variables.BOOKCTL_BASE_URL), text})
  }
}
