import * as Flags from '@oclif/core/flags'
import {COUNTRY_COLUMNS, countries} from '../../cli/features/catalogue/content.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {pathNote} from '../../cli/shell/path-note.js'

export default class ContentCountries extends BaseCommand {
  static override summary = 'List the countries the service knows'
  static override description = `${pathNote('content.countries')}`
  static override examples = ['bookctl content countries', 'bookctl content countries --find tur --json']
  static override columns = COUNTRY_COLUMNS
  static override flags = {
    find: Flags.string({
      helpValue: 'TEXT',
      summary: 'only countries whose name or code contains TEXT (accents are ignored)',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCountries)
    await this.print(await countries(await this.connect(), flags))
  }
}
