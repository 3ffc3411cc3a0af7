import * as Flags from '@oclif/core/flags'
import {cityFlag, readCity, wrongCity} from '../../cli/features/catalogue/city-names.js'
import {
  absentIn,
  MOST_NIGHTS,
  misfitsIn,
  OFFER_COLUMNS,
  readCheckOut,
  readRoom,
  readSearch,
  type SearchFlags,
  SORTS,
  search,
  type TypedSearch,
} from '../../cli/features/catalogue/hotel-search.js'
import {DATE_FORMS} from '../../cli/input/dates.js'
import {amountFlag, checkedFlag, comingDayFlag, countryFlag, currencyFlag} from '../../cli/input/flags.js'
import {combined, missing} from '../../cli/input/usage-errors.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {mayAsk} from '../../cli/terminal/prompts/ask.js'
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'

/** Read again when the check-in is known. */
const checkOutFlag = checkedFlag((field, text) => {
  readCheckOut(field, text, '0001-01-01')
  return text
})

export default class HotelsSearch extends BaseCommand {
  static override summary = 'Search hotel offers for a city, dates and rooms'
  static override description =
    `An offer is valid for ${OFFER_VALIDITY_SECONDS / 60} minutes and can be reserved once. Offers found are remembered on this machine, so that
reserve knows hotel, price and nationality. Sorting and filtering happen here; the service returns every offer. At a
terminal, missing values are asked for, the city by name if the service's list of cities is available.
Environment: BOOKCTL_NATIONALITY, BOOKCTL_CURRENCY, and those of every command.`
  static override examples = [
    'bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --nationality TR --currency EUR',
    'bookctl hotels search --city 101 --check-in 2030-06-01 --check-out 2030-06-04 --room 2:7,4 --room 1 --nationality DE --currency EUR --sort price --limit 5',
  ]
  static override columns = OFFER_COLUMNS.map(column => column.name)
  static override candidates = {city: 'cities'} as const
  static override bareWord = 'city'
  static override flags = {
    ...cityFlag,
    'check-in': comingDayFlag({helpValue: 'DATE', summary: `arrival date: ${DATE_FORMS}`}),
    'check-out': checkOutFlag({
      helpValue: 'DATE|N',
      summary: 'departure date, or number of nights (3 or +3)',
    }),
    nights: Flags.integer({
      helpValue: 'N',
      min: 1,
      max: MOST_NIGHTS,
      exclusive: ['check-out'],
      summary: 'number of nights, instead of --check-out',
    }),
    room: checkedFlag(readRoom)({
      helpValue: 'ADULTS[:AGE,AGE]',
      multiple: true,
      summary: 'one room: adults, then the ages of the children (repeatable; default 2)',
    }),
    nationality: countryFlag({
      helpValue: 'COUNTRY',
      env: 'BOOKCTL_NATIONALITY',
      summary: 'country of the guests, by name or two-letter code',
    }),
    currency: currencyFlag({
      helpValue: 'CCC',
      env: 'BOOKCTL_CURRENCY',
      summary: 'currency of the prices (three letters)',
    }),
    sort: Flags.string({options: SORTS, summary: 'order: cheapest, most stars, or by name first'}),
    'max-price': amountFlag({helpValue: 'AMOUNT', summary: 'maximum price'}),
    refundable: Flags.boolean({summary: 'only offers that can be cancelled for a refund'}),
    board: Flags.string({helpValue: 'BOARD', summary: 'only offers with this board, for example BB'}),
    limit: Flags.integer({helpValue: 'N', min: 1, max: 100_000, summary: 'maximum number of offers'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(HotelsSearch)
    const given = await this.withDefaults(flags, ['nationality', 'currency'])
    // Without a request, as long as something is missing or wrong anyway.
    if (misfitsIn(given).length > 0 || (absentIn(given).length > 0 && !mayAsk(this.globals)))
      throw combined(await this.alsoWrong({flags: given}, []))
    const city = await readCity(flags.city, () => this.connect())
    const request = readSearch(await this.complete({...given, city}))
    const wanted = {...flags, maxPrice: flags['max-price']}
    const result = await search(await this.connect(), request, wanted)
    await this.print(result)
    if (result.items.length > 0)
      this.note(`Offers are valid for ${OFFER_VALIDITY_SECONDS / 60} minutes: bookctl reserve OFFER_ID`)
  }

  protected override async alsoWrong({flags}: {flags: TypedSearch}, refused: readonly string[]) {
    const city = await wrongCity(flags.city, await this.state(), await this.serviceUrl())
    const names = (['nationality', 'currency'] as const).filter(name => !refused.includes(name))
    const given = await this.withDefaults(flags, names)
    const placed = Object.fromEntries(refused.map(name => [name, true]))
    const absent = mayAsk(this.globals) ? [] : absentIn({...given, ...placed})
    return [...city, ...misfitsIn(given), ...(absent.length > 0 ? [missing(absent)] : [])]
  }

  /** Asks for what is missing, at a terminal. */
  private async complete(given: SearchFlags): Promise<SearchFlags> {
    if (absentIn(given).length === 0 || !mayAsk(this.globals)) return given
    const {completeSearch} = await import('../../cli/features/wizard/ask-search.js')
    return completeSearch(this, given)
  }
}
