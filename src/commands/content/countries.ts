import * as Flags from '@oclif/core/flags'
import {COUNTRY_COLUMNS, countries} from '../../cli/features/catalogue/content.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ContentCountries extends BaseCommand {
  static override summary = 'List the countries the service knows.'
  static override description =
    `The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"content.countries": "…"}. Needs the scope content:read. Environment: those of every command.`
  static override examples = ['bookctl content countries', 'bookctl content countries --find tur --json']
  static override columns = COUNTRY_COLUMNS.map(column => column.name)
  static override flags = {
    find: Flags.string({
      helpValue: 'TEXT',
      summary: 'only those whose name or code holds this; accents do not count',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ContentCountries)
    await this.print(await countries(await this.connect(), flags))
  }
}
