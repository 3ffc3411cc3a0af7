import * as Flags from '@oclif/core/flags'
import {CURRENCY_COLUMNS, currencies} from '../../cli/features/catalogue/content.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {pathNote} from '../../cli/shell/path-note.js'

export default class ContentCurrencies extends BaseCommand {
  static override summary = 'List the currencies the service knows'
  static override description = `${pathNote('content.currencies')}`
  static override examples = [
    'bookctl content currencies --format csv',
    'bookctl content currencies --find eur --json',
  ]
  static override columns = CURRENCY_COLUMNS
  static override flags = {
    find: Flags.string({
      helpValue: 'TEXT',
      summary: 'only currencies whose name or code contains TEXT (accents are ignored)',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCurrencies)
    await this.print(await currencies(await this.connect(), flags))
  }
}
