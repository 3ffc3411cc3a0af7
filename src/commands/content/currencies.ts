import * as Flags from '@oclif/core/flags'
import {CURRENCY_COLUMNS, currencies} from '../../cli/features/catalogue/content.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ContentCurrencies extends BaseCommand {
  static override summary = 'List the currencies the service knows.'
  static override description =
    `The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"content.currencies": "…"}. Needs the scope content:read. Environment: those of every command.`
  static override examples = [
    'bookctl content currencies --format csv',
    'bookctl content currencies --find eur --json',
  ]
  static override columns = CURRENCY_COLUMNS.map(column => column.name)
  static override flags = {
    find: Flags.string({
      helpValue: 'TEXT',
      summary: 'only those whose name or code holds this; accents do not count',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCurrencies)
    await this.print(await currencies(await this.connect(), flags))
  }
}
