import {CONTENT_COLUMNS, findFlag, listContent} from '../../cli/features/catalogue/content.js'
import {countryFlag} from '../../cli/input/flags.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ContentCities extends BaseCommand {
  static override summary = 'List the cities that can be searched'
  static override operations = {'content.cities': ''}
  static override description = `hotels search takes the id as --city.
${pathNote(ContentCities.operations)}`
  static override examples = [
    'bookctl content cities --country TR',
    'bookctl content cities --find ist --quiet',
    "bookctl content cities --find istanbul --query 'cities[0].id'",
  ]
  static override columns = CONTENT_COLUMNS.cities
  static override flags = {
    ...findFlag('cities whose name'),
    country: countryFlag({
      helpValue: 'COUNTRY',
      summary: 'only cities of this country, by name or two-letter code',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCities)
    await this.print(await listContent('cities', await this.connect(), flags))
  }
}
