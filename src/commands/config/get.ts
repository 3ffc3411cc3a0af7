import * as Flags from '@oclif/core/flags'
import {CONFIG_COLUMNS, getSetting, keyArg} from '../../cli/features/access/config.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'

export default class ConfigGet extends BaseCommand {
  static override summary = 'Print the effective value of a setting'
  static override description =
    `A flag overrides the environment variable, which overrides the profile, which overrides the defaults of all profiles.
A setting without a value exits with ${EXITS.usage.code}.`
  static override examples = [
    'bookctl config get timeout',
    'bookctl config get signature_header --show-origin',
    'BOOKCTL_CURRENCY=EUR bookctl config get currency --json',
  ]
  static override columns = [...CONFIG_COLUMNS, 'source_path']
  static override candidates = {key: 'settings'} as const
  static override args = keyArg
  static override flags = {'show-origin': Flags.boolean({summary: 'also print where the value comes from'})}

  override readonly showsSettings = true

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ConfigGet)
    const {path} = (await this.state()).settings
    await this.print(await getSetting(args.key, await this.surroundings(), path, flags['show-origin']))
  }
}
