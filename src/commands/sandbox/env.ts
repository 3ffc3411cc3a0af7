import * as Flags from '@oclif/core/flags'
import {credentialsOf, SandboxCommand} from '../../cli/features/sandbox/command.js'
import {single} from '../../cli/terminal/result.js'

/** How each shell sets a variable. The values contain no quotes. */
const SYNTAX = {
  sh: (name: string, value: string) => `export ${name}='${value}'`,
  fish: (name: string, value: string) => `set -gx ${name} '${value}'`,
  powershell: (name: string, value: string) => `$env:${name} = '${value}'`,
}

export default class SandboxEnv extends SandboxCommand {
  static override summary = 'Print the environment that points commands at the local sandbox'
  static override description =
    `For eval "$(bookctl sandbox env)", also after a restart: the sandbox that is running counts, not what BOOKCTL_BASE_URL names.`
  static override examples = [
    'eval "$(bookctl sandbox env)"',
    'bookctl sandbox env --client poor',
    'bookctl sandbox env --shell fish',
  ]
  static override columns = ['BOOKCTL_BASE_URL', 'BOOKCTL_CLIENT_ID', 'BOOKCTL_CLIENT_SECRET']
  static override flags = {
    client: Flags.string({
      options: ['poor', 'readonly'],
      summary: 'the client with hardly any balance (poor), or the one that may only read (readonly)',
    }),
    shell: Flags.string({options: Object.keys(SYNTAX), default: 'sh', summary: 'shell whose syntax to use'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxEnv)
    const {base_url} = await this.running()
    // The sandbox may have ended without removing its record. Without this check its variables would only fail later.
    await this.control('/clock')
    const {client_id, client_secret} = credentialsOf(flags.client)
    const variables = {
      BOOKCTL_BASE_URL: base_url,
      BOOKCTL_CLIENT_ID: client_id,
      BOOKCTL_CLIENT_SECRET: client_secret,
    }
    const write = SYNTAX[flags.shell as keyof typeof SYNTAX]
    const lines = Object.entries(variables).map(([name, value]) => `${write(name, value)}\n`)
    await this.print({...single(variables, variables, base_url), text: lines.join('')})
  }
}
