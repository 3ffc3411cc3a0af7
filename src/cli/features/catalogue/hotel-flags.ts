/** What a hotel search is asked for: from its flags to the request of §2.2. */
import * as Flags from '@oclif/core/flags'
import type * as Interfaces from '@oclif/core/interfaces'
import type {Failure} from '../../../contract/failure.js'
import type {Room, SearchRequest} from '../../../contract/hotels.js'
import {invalid} from '../../input/checks.js'
import {DATE_FORMS} from '../../input/dates.js'
import {amountFlag, checkedFlag, comingDayFlag, countryFlag} from '../../input/flags.js'
import {leaveAfter, MOST_NIGHTS, MOST_ROOMS, readCheckOut, readRoom} from '../../input/stay.js'
import {combined, into, missing} from '../../input/usage-errors.js'
import {cityFlag} from './city-names.js'
import {absentIn, pricesFlag} from './city-search.js'

/** Without --room. */
const DEFAULT_ROOMS: readonly Room[] = [{adults: 2, children_ages: []}]

/** Read again when the check-in is known. */
const checkOutFlag = checkedFlag((field, text) => {
  readCheckOut(field, text, '0001-01-01')
  return text
})

export const searchFlags = {
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
  ...pricesFlag,
  sort: Flags.string({
    options: ['price', 'stars', 'name'],
    summary: 'order: cheapest, most stars, or by name first',
  }),
  'max-price': amountFlag({helpValue: 'AMOUNT', summary: 'maximum price'}),
  refundable: Flags.boolean({summary: 'only offers that can be cancelled for a refund'}),
  board: Flags.string({helpValue: 'BOARD', summary: 'only offers with this board, for example BB'}),
  limit: Flags.integer({helpValue: 'N', min: 1, max: 100_000, summary: 'maximum number of offers'}),
}

/** The flags as typed: the city may be a name. */
type TypedSearch = Partial<Interfaces.InferredFlags<typeof searchFlags>>
export type SearchFlags = Omit<TypedSearch, 'city'> & {city?: number | undefined}
export type Filters = Pick<TypedSearch, 'sort' | 'max-price' | 'refundable' | 'board' | 'limit'>

export const NEEDED = ['--city', '--check-in', '--check-out or --nights', '--nationality', '--currency']

/** What does not fit together, besides what is missing. */
export function misfitsIn(flags: TypedSearch): Failure[] {
  const {'check-in': checkIn, room: rooms = []} = flags
  const errors: Failure[] = []
  if (rooms.length > MOST_ROOMS) errors.push(invalid('--room', `at most ${MOST_ROOMS} rooms`))
  try {
    if (checkIn) departureOf(checkIn, flags)
  } catch (error) {
    into(errors)(error)
  }
  return errors
}

/** The request of §2.2. Throws usage, naming every flag that is missing or does not fit the others. */
export function readSearch(flags: SearchFlags): SearchRequest {
  const {city, 'check-in': checkIn, nationality, currency, room: rooms = DEFAULT_ROOMS} = flags
  const absent = absentIn(flags, NEEDED)
  const errors = [...(absent.length > 0 ? [missing(absent)] : []), ...misfitsIn(flags)]
  if (!city || !checkIn || !nationality || !currency || errors.length > 0) throw combined(errors)
  return {
    destination: {type: 'CITY', id: city},
    check_in: checkIn,
    check_out: departureOf(checkIn, flags),
    rooms: [...rooms],
    client_nationality: nationality,
    currency,
  }
}

function departureOf(checkIn: string, {'check-out': checkOut, nights}: TypedSearch): string {
  return checkOut ? readCheckOut('--check-out', checkOut, checkIn) : leaveAfter(checkIn, nights ?? 1)
}
