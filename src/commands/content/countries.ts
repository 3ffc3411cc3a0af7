import {CONTENT_COLUMNS, findFlag, listContent} from '../../cli/features/catalogue/content.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ContentCountries extends BaseCommand {
  static override summary = 'List the countries the service knows'
  static override operations = {'content.countries': ''}
  static override description = pathNote(ContentCountries.operations)
  static override examples = ['bookctl content countries', 'bookctl content countries --find tur --json']
  static override columns = CONTENT_COLUMNS.countries
  static override flags = findFlag('countries whose name or code')

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCountries)
    await this.print(await listContent('countries', await this.connect(), flags))
  }
}
