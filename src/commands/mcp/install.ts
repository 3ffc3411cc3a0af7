import {homedir} from 'node:os'
import process from 'node:process'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {existingProfile} from '../../cli/features/access/profiles.js'
import {
  CLIENT_DETAILS,
  CLIENTS,
  type ClientName,
  SCOPES,
  type Scope,
} from '../../cli/features/agents/clients.js'
import {checkTarget, mcpFlags, readPermissions} from '../../cli/features/agents/flags.js'
import {
  applyInstall,
  dryInstall,
  INSTALL_COLUMNS,
  installLines,
  installResult,
  installWarnings,
  planInstall,
  readServerName,
  serverArguments,
} from '../../cli/features/agents/install.js'

import {checkedFlag} from '../../cli/input/flags.js'
import {collectFailure, conflictingFlags} from '../../cli/input/usage-errors.js'
import {dryRun, dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import type {Failure} from '../../contract/failure.js'
import {parseBaseUrl} from '../../contract/network.js'

export default class McpInstall extends BaseCommand {
  static override summary = 'Add the server for agents to a client'
  static override description =
    `Writes an entry that starts the server with the flags given here into the settings file of CLIENT, and leaves the rest of the file
as it is. Secrets are never written: the server uses the profile's. A copy of the file stays beside it.`
  static override examples = [
    'bookctl mcp install claude-code --profile reader --dry-run',
    'bookctl mcp install cursor --allow reserve --max-total "500 EUR" --max-each "300 EUR" --yes',
    'bookctl mcp install vscode --scope project --yes',
    'bookctl mcp install claude-desktop --remove --yes',
  ]
  static override environment = ['APPDATA', 'CLAUDE_CONFIG_DIR', 'LOCALAPPDATA', 'XDG_CONFIG_HOME']
  static override columns = INSTALL_COLUMNS
  static override args = {
    client: Args.string({required: true, options: [...CLIENTS], description: 'program that gets the server'}),
  }
  static override flags = {
    ...mcpFlags,
    scope: Flags.option({
      options: SCOPES,
      summary: 'whose it is (default local for claude-code: yours, in this project; else user)',
    })(),
    name: checkedFlag(readServerName)({
      helpValue: 'NAME',
      summary: 'name of the entry (default bookctl)',
    }),
    file: Flags.string({helpValue: 'FILE', summary: "settings file (default the client's own)"}),
    'full-path': Flags.boolean({
      summary: 'write the paths of node and of this program, for a client that does not find bookctl',
    }),
    remove: Flags.boolean({summary: 'remove the entry'}),
    ...dryRunFlag,
    yes: Flags.boolean({summary: 'do not ask'}),
  }

  async run(): Promise<void> {
    const {args, flags, raw} = await this.parse(McpInstall)
    const client = args.client as ClientName
    const {scope, file, name = 'bookctl', remove} = flags
    const words = serverArguments(raw)
    if (remove && words[1] !== undefined) throw conflictingFlags(words[1].slice(2), 'remove')
    if (!remove) await this.checkServer(flags)
    const program = flags['full-path'] ? [process.execPath, ...process.argv.slice(1, 2)] : ['bookctl']
    const command = remove ? undefined : [...program, ...words]
    const {env, platform} = process
    const machine = {
      platform,
      env,
      home: (platform !== 'win32' && env.HOME) || homedir(),
      directory: process.cwd(),
    }
    const plan = planInstall({client, scope: scope as Scope | undefined, file, name, command}, machine)
    for (const warning of installWarnings(plan, machine)) this.warn(warning)
    if (flags['dry-run']) return this.print(dryRun([], dryInstall(plan)))
    if (plan.action === 'none') return this.print(installResult(plan, null))
    const change = {undone: 'nothing was changed', what: `a change of ${plan.file}`}
    await this.consent(flags.yes, 'Change this file?', change, installLines(plan))
    const backup = await applyInstall(plan)
    await this.print(installResult(plan, backup))
    this.note(`Now ${CLIENT_DETAILS[client].next}.`)
  }
  /** Throws a usage error if the server would refuse these flags. Warns if it would find no credentials. */
  private async checkServer(flags: Parameters<typeof readPermissions>[0]): Promise<void> {
    readPermissions(flags)
    const {profile, 'base-url': baseUrl} = this.typed
    if (profile !== undefined) existingProfile((await this.surroundings()).settings, profile)
    if (baseUrl !== undefined) parseBaseUrl(baseUrl, '--base-url')
    const errors: Failure[] = []
    const target = await this.target().catch(collectFailure(errors))
    if (target) checkTarget(target, flags)
    for (const {message, details} of errors)
      this.warn(`Warning: the server cannot start yet: ${message}; ${details.hint ?? 'log in'}`)
  }
}
