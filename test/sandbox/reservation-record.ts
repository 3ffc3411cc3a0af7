/** A reservation as the local sandbox stores it, for tests of the pages and documents that are rendered from one. */
import type {Guest, Reservation} from '../../src/contract/reservations.js'
import {CONTACT} from '../support/stay.js'

export function reservationRecord(changes: Partial<Reservation> = {}): Reservation {
  return {
    reservation_ref: 'RSV-7K3M9QX2AB',
    status: 'CONFIRMED',
    client_reference_id: 'PARTNER-2030-0042',
    offer_id: 'off_example',
    hotel: {
      hotel_id: 1010001,
      name: 'Şadırvan Konağı',
      stars: 4,
      address: 'Divan Yolu Caddesi No: 12, Fatih',
      city: {id: 101, name: 'Istanbul'},
      country_code: 'TR',
      latitude: 41.0038,
      longitude: 28.9892,
    },
    rooms: [room('Superior Room', 2, [7]), room('Standard Room', 2, [])],
    check_in: '2030-06-01',
    check_out: '2030-06-04',
    nights: 3,
    client_nationality: 'TR',
    contact: CONTACT,
    guests: [
      guest({is_lead: true, identity: {type: 'TC', number: '10000000146'}}),
      guest({name: 'Mehmet', identity: {type: 'PASSPORT', number: 'U12345678'}, nationality: 'DE'}),
      guest({name: 'İlkay', surname: 'Öğüt', type: 'CHILD'}),
      guest({name: 'Iğdır', surname: 'Çınarlı'}),
      guest({name: 'Łucja', surname: 'Źródło-Świętosławska', nationality: 'PL'}),
    ],
    price: {
      total: '1730.08',
      currency: 'EUR',
      base: '1544.71',
      taxes: '185.37',
      due_at_property: [
        {
          description: 'Local visitor fee, per adult and night, paid at the hotel',
          amount: '576.00',
          currency: 'TRY',
        },
      ],
    },
    cancellation_policies: [
      {from: '2030-05-27T18:00:00+03:00', amount: '280.32', currency: 'EUR'},
      {from: '2030-05-31T18:00:00+03:00', amount: '1730.08', currency: 'EUR'},
    ],
    remarks:
      'Check-in from 14:00, check-out until 12:00. The hotel asks each adult for an identity document.',
    payment: {
      mode: 'account',
      status: 'PAID',
      amount: '1730.08',
      currency: 'EUR',
      expires_at: null,
      paid_at: '2030-05-01T09:00:00Z',
      failure_code: null,
    },
    hotel_confirmation_number: 'H-558201',
    voucher: {status: 'READY'},
    cancellation: null,
    created_at: '2030-05-01T09:00:00Z',
    updated_at: '2030-05-01T09:00:00Z',
    confirmed_at: '2030-05-01T09:00:00Z',
    live_mode: false,
    ...changes,
  }
}

export function guest(changes: Partial<Guest> = {}): Guest {
  return {type: 'ADULT', name: 'Ayşe', surname: 'Öğüt', nationality: 'TR', is_lead: false, ...changes}
}

function room(name: string, adults: number, ages: number[]): Reservation['rooms'][number] {
  return {room_name: name, adults, children_ages: ages, board: {code: 'BB', name: 'Bed and breakfast'}}
}
