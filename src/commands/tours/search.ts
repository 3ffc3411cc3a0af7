import * as Flags from '@oclif/core/flags'
import {cityFlag, readCity, wrongCity} from '../../cli/features/catalogue/city-names.js'
import {
  absentIn,
  search,
  TOUR_COLUMNS,
  TOUR_SORTS,
  type TourFlags,
  type TypedTours,
} from '../../cli/features/catalogue/tours.js'
import {DATE_FORMS} from '../../cli/input/dates.js'
import {amountFlag, comingDayFlag, currencyFlag} from '../../cli/input/flags.js'
import {missing} from '../../cli/input/usage-errors.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {pathNote} from '../../cli/shell/path-note.js'
import {mayAsk} from '../../cli/terminal/prompts/ask.js'

export default class ToursSearch extends BaseCommand {
  static override summary = 'Search tours in a city'
  static override description =
    `Sorting and filtering happen here; the service returns every tour of the city. At a terminal, missing values are asked
for, the city by name.
${pathNote('tours.search')} Also BOOKCTL_CURRENCY.`
  static override examples = [
    'bookctl tours search --city 101 --currency EUR',
    'bookctl tours search --city 101 --date 2030-06-02 --currency EUR --tag food --sort price --limit 3',
  ]
  static override columns = TOUR_COLUMNS.map(column => column.name)
  static override candidates = {city: 'cities'} as const
  static override bareWord = 'city'
  static override flags = {
    ...cityFlag,
    date: comingDayFlag({helpValue: 'DATE', summary: `only tours on this day: ${DATE_FORMS}`}),
    currency: currencyFlag({
      helpValue: 'CCC',
      env: 'BOOKCTL_CURRENCY',
      summary: 'currency of the prices (three letters)',
    }),
    tag: Flags.string({
      helpValue: 'WORD',
      multiple: true,
      summary: 'only tours with this tag, for example food (repeatable)',
    }),
    find: Flags.string({helpValue: 'TEXT', summary: 'only tours whose name or description contains TEXT'}),
    'max-price': amountFlag({helpValue: 'AMOUNT', summary: 'maximum price'}),
    sort: Flags.string({
      options: TOUR_SORTS,
      summary: 'order: cheapest, best rated, shortest, or by name first',
    }),
    limit: Flags.integer({helpValue: 'N', min: 1, max: 100_000, summary: 'maximum number of tours'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(ToursSearch)
    const given = await this.withDefaults(flags, ['currency'])
    if (absentIn(given).length > 0 && !mayAsk(this.globals)) throw missing(absentIn(given))
    const city = await readCity(flags.city, () => this.connect())
    await this.print(await search(() => this.connect(), await this.complete({...given, city})))
  }

  protected override async alsoWrong({flags}: {flags: TypedTours}, refused: readonly string[]) {
    const city = await wrongCity(flags.city, await this.state(), await this.serviceUrl())
    const given = refused.includes('currency') ? flags : await this.withDefaults(flags, ['currency'])
    const absent = absentIn({...given, ...Object.fromEntries(refused.map(name => [name, true]))})
    return absent.length > 0 && !mayAsk(this.globals) ? [...city, missing(absent)] : city
  }

  /** Asks for what is missing, at a terminal. */
  private async complete(given: TourFlags): Promise<TourFlags> {
    if (absentIn(given).length === 0 || !mayAsk(this.globals)) return given
    const {completeTourSearch} = await import('../../cli/features/wizard/ask-search.js')
    return completeTourSearch(this, given)
  }
}
