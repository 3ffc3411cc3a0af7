import type {SeenOffer} from '../../src/contract/seen-offers.js'

/** An offer that this machine saw in a search, valid from 1000 to 1900. */
export const SEEN: SeenOffer = {
  offer_id: 'off_1',
  hotel_name: 'Pera',
  stars: 4,
  room_name: 'Double',
  board: 'BB',
  total: '450.00',
  currency: 'EUR',
  nationality: 'TR',
  check_in: '2030-06-01',
  check_out: '2030-06-04',
  rooms: [{adults: 1, children_ages: [7]}],
  searched_at: 1000,
  expires_at: 1900,
  used_by_reference: null,
  details: null,
}
