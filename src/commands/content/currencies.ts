import {CONTENT_COLUMNS, findFlag, listContent} from '../../cli/features/catalogue/content.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ContentCurrencies extends BaseCommand {
  static override summary = 'List the currencies the service knows'
  static override operations = {'content.currencies': ''}
  static override description = pathNote(ContentCurrencies.operations)
  static override examples = [
    'bookctl content currencies --format csv',
    'bookctl content currencies --find eur --json',
  ]
  static override columns = CONTENT_COLUMNS.currencies
  static override flags = findFlag('currencies whose name or code')

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCurrencies)
    await this.print(await listContent('currencies', await this.connect(), flags))
  }
}
