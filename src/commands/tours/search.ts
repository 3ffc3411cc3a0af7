import {CitySearch} from '../../cli/features/catalogue/city-search.js'
import {NEEDED, search, TOUR_COLUMNS, tourFlags} from '../../cli/features/catalogue/tours.js'
import {pathNote} from '../../cli/session/own-paths.js'

export default class ToursSearch extends CitySearch {
  static override summary = 'Search tours in a city'
  static override operations = {'tours.search': '', 'content.cities': 'to find the city by name'}
  static override description =
    `Sorting and filtering happen here; the service returns every tour of the city. At a terminal, missing values are asked
for, the city by name.
${pathNote(ToursSearch.operations)}`
  static override examples = [
    'bookctl tours search --city 101 --currency EUR',
    'bookctl tours search --city 101 --date 2030-06-02 --currency EUR --tag food --sort price --limit 3',
  ]
  static override columns = TOUR_COLUMNS.map(column => column.name)
  static override candidates = {city: 'cities'} as const
  static override bareWord = 'city'
  static override flags = tourFlags
  protected override needed = NEEDED

  async run(): Promise<void> {
    const {flags} = await this.parse(ToursSearch)
    const complete = await this.complete(flags, async known =>
      (await import('../../cli/features/wizard/ask-search.js')).completeTourSearch(this, known),
    )
    await this.print(await search(await this.connect(), complete))
  }
}
