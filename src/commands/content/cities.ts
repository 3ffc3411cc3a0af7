import * as Flags from '@oclif/core/flags'
import {CITY_COLUMNS, cities} from '../../cli/features/catalogue/content.js'
import {countryFlag} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ContentCities extends BaseCommand {
  static override summary = 'List the cities that can be searched, with their ids.'
  static override description = `An id is what hotels search takes as --city.
The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"content.cities": "…"}. Needs the scope content:read. Environment: those of every command.`
  static override examples = [
    'bookctl content cities --country TR',
    'bookctl content cities --find ist --quiet',
    "bookctl content cities --find istanbul --query 'cities[0].id'",
  ]
  static override columns = CITY_COLUMNS.map(column => column.name)
  static override flags = {
    find: Flags.string({
      helpValue: 'TEXT',
      summary: 'only those whose name holds this; accents do not count',
    }),
    country: countryFlag({helpValue: 'CC', summary: 'only those of this country'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCities)
    await this.print(await cities(await this.connect(), flags))
  }
}
