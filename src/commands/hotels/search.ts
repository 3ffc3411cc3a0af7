import {CitySearch} from '../../cli/features/catalogue/city-search.js'
import {
  misfitsIn,
  NEEDED,
  OFFER_COLUMNS,
  readSearch,
  search,
  searchFlags,
} from '../../cli/features/catalogue/hotels.js'
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'

export default class HotelsSearch extends CitySearch {
  static override summary = 'Search hotel offers for a city, dates and rooms'
  static override operations = {'hotels.search': '', 'content.cities': 'to find the city by name'}
  static override description =
    `An offer is valid for ${OFFER_VALIDITY_SECONDS / 60} minutes and can be reserved once. Offers found are remembered on this machine, so that
reserve knows hotel, price and nationality. Sorting and filtering happen here; the service returns every offer. At a
terminal, missing values are asked for, the city by name if the service's list of cities is available.`
  static override examples = [
    'bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --nationality TR --currency EUR',
    'bookctl hotels search --city 101 --check-in 2030-06-01 --check-out 2030-06-04 --room 2:7,4 --room 1 --nationality DE --currency EUR --sort price --limit 5',
  ]
  static override columns = OFFER_COLUMNS.map(column => column.name)
  static override candidates = {city: 'cities'} as const
  static override bareWord = 'city'
  static override flags = searchFlags
  protected override needed = NEEDED
  protected override misfitsIn = misfitsIn

  async run(): Promise<void> {
    const {flags} = await this.parse(HotelsSearch)
    const complete = await this.complete(flags, async known =>
      (await import('../../cli/features/wizard/ask-search.js')).completeSearch(this, known),
    )
    const result = await search(await this.connect(), readSearch(complete), flags)
    await this.print(result)
    if (result.items.length > 0)
      this.note(`Offers are valid for ${OFFER_VALIDITY_SECONDS / 60} minutes: bookctl reserve OFFER_ID`)
  }
}
