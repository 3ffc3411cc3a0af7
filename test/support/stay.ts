/** A search and a booking: the arguments a user types, and the results. */
import type {Home} from './bookctl.js'

export const SEARCH = [
  'hotels',
  'search',
  '--city',
  '101',
  '--check-in',
  '2030-06-01',
  '--nights',
  '3',
  '--room',
  '2',
  '--nationality',
  'TR',
  '--currency',
  'EUR',
  '--sort',
  'price',
]

/** Returns that search with other values of some flags, for example `{'--nights': '4'}`. */
export const searchWith = (values: Readonly<Record<string, string>>) =>
  SEARCH.map((word, index) => values[SEARCH[index - 1] ?? ''] ?? word)

/** The arguments of an agent's search for two adults and a child of four, in Antalya in June. */
export const FOUR_NIGHTS = {
  city: 'Antalya',
  check_in: '2030-06-10',
  check_out: '2030-06-14',
  rooms: [{adults: 2, children_ages: [4]}],
  client_nationality: 'TR',
  currency: 'EUR',
}

/** The contact of these guests, as it is sent. */
export const CONTACT = {
  name: 'Ayşe',
  surname: 'Öğüt',
  email: 'ayse@example.com',
  phone_country_code: '+90',
  phone_number: '5321234567',
}

export const GUESTS = [
  '--guest',
  'name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,tc=10000000146',
  '--guest',
  'name=Can,surname=Öğüt,birth_date=1988-07-12,gender=MALE,passport=U1234567',
  '--contact',
  'name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
]

/** Returns the arguments that reserve an offer from the account, without a search before. */
export const reserving = (offer: string, ...more: string[]) => [
  'reserve',
  offer,
  '--pay',
  'account',
  '--nationality',
  'TR',
  ...GUESTS,
  '--yes',
  ...more,
]

/** Returns the id of the first offer that a search finds. */
export const firstOffer = async (home: Home, search: readonly string[]) =>
  (await home.run([...search, '--limit', '1', '--quiet'])).stdout.trim()

/** Returns the id of the first offer of the search above. */
export const offerIn = (home: Home, ...more: string[]) => firstOffer(home, [...SEARCH, ...more])

/** Reserves `offer`, or the first one found, and returns the reference. */
export async function reservationIn(home: Home, pay: 'account' | 'instant' = 'account', offer?: string) {
  const argv = ['reserve', offer ?? (await offerIn(home)), ...GUESTS, '--pay', pay, '--quiet', '--yes']
  return (await home.run(argv)).stdout.trim()
}
