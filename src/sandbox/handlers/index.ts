/** Which handler does which operation of contract/operations.ts. */
import type {OperationName} from '../../contract/operations.js'
import type {Handler} from '../base/service.js'
import {showAccount} from './account.js'
import {cancelOwnReservation, quoteOwnCancellation} from './cancel.js'
import {listCities, listCountries, listCurrencies} from './content.js'
import {createReservation} from './create-reservation.js'
import {searchHotels, showHotel, showOffer} from './hotels.js'
import {listOwnReservations, showReservation, updateOwnReservation} from './reservations.js'
import {
  createSubscription,
  deleteSubscription,
  listDeliveries,
  listSubscriptions,
  showSubscription,
  testSubscription,
  updateSubscription,
} from './subscriptions.js'
import {createToken, revokeToken} from './token.js'
import {searchTours, showTour} from './tours.js'
import {showVoucher} from './voucher.js'

export const HANDLERS: Readonly<Record<OperationName, Handler>> = {
  'token.create': createToken,
  'token.revoke': revokeToken,
  'hotels.search': searchHotels,
  'hotels.show': showHotel,
  'hotels.price': showOffer,
  'tours.search': searchTours,
  'tours.show': showTour,
  'reservations.create': createReservation,
  'reservations.list': listOwnReservations,
  'reservations.show': showReservation,
  'reservations.update': updateOwnReservation,
  'reservations.quote': quoteOwnCancellation,
  'reservations.cancel': cancelOwnReservation,
  'voucher.show': showVoucher,
  'account.show': showAccount,
  'content.countries': listCountries,
  'content.currencies': listCurrencies,
  'content.cities': listCities,
  'subscriptions.create': createSubscription,
  'subscriptions.test': testSubscription,
  'subscriptions.list': listSubscriptions,
  'subscriptions.show': showSubscription,
  'subscriptions.update': updateSubscription,
  'subscriptions.delete': deleteSubscription,
  'subscriptions.deliveries': listDeliveries,
}
