import {CONTENT_COLUMNS, findFlag, listContent} from '../../cli/features/catalogue/content.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {pathNote} from '../../cli/shell/path-note.js'

export default class ContentCountries extends BaseCommand {
  static override summary = 'List the countries the service knows'
  static override description = pathNote('content.countries')
  static override examples = ['bookctl content countries', 'bookctl content countries --find tur --json']
  static override columns = CONTENT_COLUMNS.countries
  static override flags = findFlag('countries whose name or code')

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCountries)
    await this.print(await listContent('countries', await this.connect(), flags))
  }
}
