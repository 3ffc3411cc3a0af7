/** Offers in the shapes of many services; the one field the interface promises is offer_id (§2.3). */
import {describe, expect, test} from 'vitest'
import {factsOf, type OfferFacts} from '../../src/api/offer-facts.js'
import {findOffers} from '../../src/api/offers.js'

type Expected = Partial<OfferFacts> & {offer_id: string}

function read(json: unknown): Expected[] {
  return findOffers(json).map(offer => ({offer_id: offer.offerId, ...factsOf(offer)}))
}

const price = (total: string | null, currency: string | null) => ({total, currency})
const NOTHING: OfferFacts = {
  hotel_name: null,
  stars: null,
  room_name: null,
  board: null,
  price: price(null, null),
  refundable: null,
  free_cancellation_until: null,
  expiry: null,
}

const SHAPES: [string, unknown, Expected[]][] = [
  [
    'our own',
    {
      data: {
        search_id: 's',
        expires_at: '2030-01-01T00:15:00Z',
        destination: {type: 'CITY', id: 101, name: 'Istanbul'},
        currency: 'EUR',
        offers: [
          {
            offer_id: 'off_1',
            expires_at: '2030-01-01T00:10:00Z',
            hotel: {hotel_id: 1, name: 'Pera', stars: 4, city: {id: 101, name: 'Istanbul'}},
            rooms: [{room_name: 'Double', adults: 2, board: {code: 'BB', name: 'Bed and breakfast'}}],
            price: {
              total: '240.00',
              currency: 'EUR',
              base: '200.00',
              taxes: '40.00',
              due_at_property: [{amount: '9.00', currency: 'TRY'}],
            },
            refundable: true,
            free_cancellation_until: '2030-05-01T00:00:00+03:00',
            cancellation_policies: [{from: '2030-05-01T00:00:00+03:00', amount: '120.00', currency: 'EUR'}],
          },
        ],
      },
    },
    [
      {
        offer_id: 'off_1',
        hotel_name: 'Pera',
        stars: 4,
        room_name: 'Double',
        board: 'BB',
        price: price('240.00', 'EUR'),
        refundable: true,
        free_cancellation_until: '2030-05-01T00:00:00+03:00',
        expiry: Date.parse('2030-01-01T00:10:00Z') / 1000,
      },
    ],
  ],
  ['nothing but the id', [{offer_id: 'off_1'}], [{offer_id: 'off_1', ...NOTHING}]],
  [
    'the id of an offer as an object of its own',
    {
      search: {
        results: [
          {
            price: {total: 99.5, currency: 'EUR'},
            hotel: {title: 'Pera', stars: '5'},
            offer: {offer_id: 'off_1'},
          },
        ],
      },
    },
    [{offer_id: 'off_1', hotel_name: 'Pera', stars: 5, price: price('99.50', 'EUR')}],
  ],
  [
    'LiteAPI: hotel, room types, rates with prices in lists',
    {
      data: [
        {
          hotelId: 'lp1',
          roomTypes: [
            {
              offer_id: 'off_1',
              offerRetailRate: {amount: 201.5, currency: 'USD'},
              rates: [
                {
                  rateId: 'r1',
                  name: 'Superior Queen',
                  boardType: 'RO',
                  boardName: 'Room Only',
                  retailRate: {
                    total: [{amount: 201.5, currency: 'USD'}],
                    taxesAndFees: [{amount: 20, currency: 'USD'}],
                  },
                  cancellationPolicies: {refundableTag: 'NRFN', cancelPolicyInfos: [{amount: 201.5}]},
                },
              ],
            },
          ],
        },
      ],
    },
    [{offer_id: 'off_1', board: 'RO', price: price('201.50', 'USD'), refundable: false}],
  ],
  [
    'Hotelbeds: hotels, rooms, rates; stars in words',
    {
      hotels: {
        hotels: [
          {
            code: 6613,
            name: 'Club Aqua',
            categoryCode: '4EST',
            categoryName: '4 STARS',
            destinationName: 'Istanbul',
            currency: 'EUR',
            minRate: '1.00',
            rooms: [
              {
                code: 'DBT.ST',
                name: 'DOUBLE STANDARD',
                rates: [
                  {
                    offer_id: 'off_1',
                    net: '98.74',
                    boardCode: 'RO',
                    boardName: 'ROOM ONLY',
                    cancellationPolicies: [{amount: '98.74', from: '2030-05-01T23:59:00+03:00'}],
                  },
                  {offer_id: 'off_2', net: '120.10', boardCode: 'HB', boardName: 'HALF BOARD'},
                ],
              },
            ],
          },
          {
            code: 1,
            name: 'Other',
            categoryCode: '3EST',
            currency: 'TRY',
            rooms: [{name: 'SUITE', rates: [{offer_id: 'off_3', net: '77'}]}],
          },
        ],
      },
    },
    [
      {
        offer_id: 'off_1',
        hotel_name: 'Club Aqua',
        stars: 4,
        room_name: 'DOUBLE STANDARD',
        board: 'RO',
        price: price('98.74', 'EUR'),
      },
      {
        offer_id: 'off_2',
        hotel_name: 'Club Aqua',
        stars: 4,
        room_name: 'DOUBLE STANDARD',
        board: 'HB',
        price: price('120.10', 'EUR'),
      },
      {
        offer_id: 'off_3',
        hotel_name: 'Other',
        stars: 3,
        room_name: 'SUITE',
        board: null,
        price: price('77', 'TRY'),
      },
    ],
  ],
  [
    'Rapid: an array at the top, prices by occupancy',
    [
      {
        property_id: '19248',
        property_name: 'Grand',
        rooms: [
          {
            room_name: 'King Room',
            rates: [
              {
                offer_id: 'off_1',
                refundable: true,
                cancel_penalties: [{start: '2030-05-01T00:00:00+03:00', amount: '5.00', currency: 'USD'}],
                occupancy_pricing: {
                  '2': {
                    nightly: [[{type: 'base_rate', value: '1.00', currency: 'USD'}]],
                    totals: {
                      inclusive: {billable_currency: {value: '563.08', currency: 'USD'}},
                      exclusive: {billable_currency: {value: '1', currency: 'USD'}},
                    },
                  },
                },
              },
              {
                offer_id: 'off_2',
                refundable: false,
                occupancy_pricing: {
                  '2': {totals: {inclusive: {billable_currency: {value: '9', currency: 'USD'}}}},
                  '1-5': {totals: {}},
                },
              },
            ],
          },
        ],
      },
    ],
    [
      {
        offer_id: 'off_1',
        hotel_name: 'Grand',
        room_name: 'King Room',
        refundable: true,
        price: price('563.08', 'USD'),
      },
      {offer_id: 'off_2', hotel_name: 'Grand', refundable: false, price: price(null, null)},
    ],
  ],
  [
    'Duffel: results with an accommodation, total_amount beside total_currency',
    {
      data: {
        results: [
          {
            cheapest_rate_total_amount: '1.00',
            cheapest_rate_currency: 'GBP',
            accommodation: {
              name: 'Duffel Test Hotel',
              rating: 3,
              rooms: [
                {
                  name: 'Double Suite',
                  rates: [
                    {
                      offer_id: 'off_1',
                      total_amount: '799.00',
                      total_currency: 'GBP',
                      tax_amount: '1',
                      tax_currency: 'EUR',
                      board_type: 'half_board',
                      expires_at: '2030-01-01T00:00:00Z',
                    },
                    {
                      offer_id: 'off_2',
                      total_amount: '899.00',
                      total_currency: 'GBP',
                      board_type: 'room_only',
                    },
                  ],
                },
              ],
            },
          },
        ],
      },
    },
    [
      {
        offer_id: 'off_1',
        hotel_name: 'Duffel Test Hotel',
        stars: 3,
        room_name: 'Double Suite',
        board: 'half_board',
        price: price('799.00', 'GBP'),
      },
      {
        offer_id: 'off_2',
        hotel_name: 'Duffel Test Hotel',
        board: 'room_only',
        price: price('899.00', 'GBP'),
        expiry: null,
      },
    ],
  ],
  [
    'Amadeus: the hotel beside the list of its offers',
    {
      data: [
        {
          type: 'hotel-offers',
          hotel: {hotelId: 'HLPAR266', name: 'Hilton Opera', rating: '4'},
          available: true,
          offers: [
            {
              offer_id: 'off_1',
              boardType: 'BREAKFAST',
              room: {type: 'C1K', description: {text: 'King room'}},
              price: {currency: 'EUR', base: '200.00', total: '205.50'},
            },
            {
              offer_id: 'off_2',
              room: {type: 'D2X'},
              price: {currency: 'EUR', total: '305.50', variations: {average: {base: '1'}}},
            },
          ],
        },
      ],
    },
    [
      {
        offer_id: 'off_1',
        hotel_name: 'Hilton Opera',
        stars: 4,
        room_name: 'King room',
        board: 'BREAKFAST',
        price: price('205.50', 'EUR'),
      },
      {
        offer_id: 'off_2',
        hotel_name: 'Hilton Opera',
        stars: 4,
        room_name: 'D2X',
        board: null,
        price: price('305.50', 'EUR'),
      },
    ],
  ],
  [
    'ETG: payment types with two currencies',
    {
      data: {
        hotels: [
          {
            id: 'test_hotel',
            rates: [
              {
                offer_id: 'off_1',
                room_name: 'Deluxe',
                meal: 'breakfast',
                payment_options: {
                  payment_types: [
                    {
                      amount: '155.00',
                      currency_code: 'EUR',
                      show_amount: '6000.00',
                      show_currency_code: 'TRY',
                      cancellation_penalties: {free_cancellation_before: '2030-05-01T10:00:00'},
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    },
    [
      {
        offer_id: 'off_1',
        room_name: 'Deluxe',
        board: 'breakfast',
        price: price('155.00', 'EUR'),
        free_cancellation_until: '2030-05-01T10:00:00',
      },
    ],
  ],
  [
    'TourVisio: camelCase, numbers for money',
    {
      body: {
        hotels: [
          {
            name: 'Rixos',
            stars: 4.5,
            offers: [
              {
                offer_id: 'off_1',
                isRefundable: true,
                price: {amount: 1250, currency: 'JPY'},
                rooms: [{roomName: 'Suite', boardName: 'ALL INCLUSIVE'}],
                expiresOn: '2030-01-01T00:00:00+03:00',
              },
            ],
          },
        ],
      },
    },
    [
      {
        offer_id: 'off_1',
        hotel_name: 'Rixos',
        stars: 4.5,
        room_name: 'Suite',
        board: 'ALL INCLUSIVE',
        price: price('1250', 'JPY'),
        refundable: true,
        expiry: Date.parse('2030-01-01T00:00:00+03:00') / 1000,
      },
    ],
  ],
  [
    'flat fields',
    {
      items: [
        {
          offer_id: 'off_1',
          hotelName: 'Pera',
          starRating: '3 stars',
          roomTypeName: 'Twin',
          mealPlan: 'HB',
          totalPrice: '1250.1',
          priceCurrency: 'TRY',
          nonRefundable: true,
        },
      ],
    },
    [
      {
        offer_id: 'off_1',
        hotel_name: 'Pera',
        stars: 3,
        room_name: 'Twin',
        board: 'HB',
        price: price('1250.1', 'TRY'),
        refundable: false,
      },
    ],
  ],
  [
    'offers that are hotels, with the price in one string',
    {hotels: [{offer_id: 'off_1', name: 'Pera', category: {stars: 4}, price: '240.00 EUR'}]},
    [{offer_id: 'off_1', hotel_name: 'Pera', stars: 4, price: price('240.00', 'EUR')}],
  ],
  [
    'offers under their own ids',
    {
      data: {
        off_1: {offer_id: 'off_1', name: 'Pera', amount: 10, currency: 'eur'},
        off_2: {offer_id: 'off_2', name: 'Galata'},
      },
    },
    [
      {offer_id: 'off_1', hotel_name: 'Pera', price: price('10.00', 'EUR')},
      {offer_id: 'off_2', hotel_name: 'Galata', price: price(null, null)},
    ],
  ],
  [
    'hotels with a category of their own, rates inside',
    {
      availability: {
        page: 1,
        result: {
          hotels: [
            {
              name: 'Pera',
              category: {stars: 4},
              rates: [
                {
                  offer_id: 'off_1',
                  pricing: {total: 240, currency: 'EUR'},
                  meal: {code: 'BB', name: 'Bed and breakfast'},
                },
                {offer_id: 'off_2'},
              ],
            },
          ],
        },
      },
    },
    [
      {offer_id: 'off_1', hotel_name: 'Pera', stars: 4, board: 'BB', price: price('240.00', 'EUR')},
      {offer_id: 'off_2', hotel_name: 'Pera', stars: 4, board: null, price: price(null, null)},
    ],
  ],
  [
    'the same offer twice: a list of ids, then the details',
    {
      ids: [{offer_id: 'off_2'}, {offer_id: 'off_1'}],
      offers: [
        {offer_id: 'off_1', hotel_name: 'A', price: {total: '1.00', currency: 'EUR'}},
        {offer_id: 'off_2', hotel_name: 'B'},
      ],
    },
    [
      {offer_id: 'off_2', hotel_name: 'B', price: price(null, null)},
      {offer_id: 'off_1', hotel_name: 'A', price: price('1.00', 'EUR')},
    ],
  ],
]

test.each(SHAPES)('%s', (_, json, expected) => {
  const found = read(json)
  expect(found).toHaveLength(expected.length)
  expected.forEach((offer, index) => {
    expect(found[index]).toMatchObject(offer)
  })
})

describe('a wrong neighbour', () => {
  test.each([
    [
      'the next offer',
      {
        offers: [
          {
            offer_id: 'a',
            hotel: {name: 'A', stars: 5},
            board: 'BB',
            price: {total: '1.00', currency: 'EUR'},
            refundable: true,
          },
          {offer_id: 'b'},
        ],
      },
      1,
    ],
    [
      'an offer inside',
      {
        offers: [
          {offer_id: 'b', alternatives: [{offer_id: 'a', hotel_name: 'A', price: '1.00', board: 'BB'}]},
        ],
      },
      0,
    ],
    ['the number of results', {total: 1, amount: 1, offers: [{offer_id: 'b'}]}, 0],
    [
      "a hotel's cheapest price",
      {hotels: [{price: {total: '1.00', currency: 'EUR'}, rates: [{offer_id: 'b'}, {offer_id: 'c'}]}]},
      0,
    ],
    [
      'taxes, fees and fines',
      {
        offers: [
          {
            offer_id: 'b',
            taxes: {amount: '1.00', currency: 'EUR'},
            fees: [{amount: 2}],
            cancellation_policies: [{amount: '3.00', currency: 'EUR'}],
          },
        ],
      },
      0,
    ],
    [
      'the price of one of two rooms',
      {
        offers: [
          {
            offer_id: 'b',
            rooms: [{price: {total: 1, currency: 'EUR'}}, {price: {total: 2, currency: 'EUR'}}],
          },
        ],
      },
      0,
    ],
    [
      'the name of the city',
      {
        data: {
          name: 'x',
          city: {name: 'Istanbul'},
          offers: [{offer_id: 'b', destination: {name: 'Istanbul'}}],
        },
      },
      0,
    ],
    ['a list of cities', {cities: [{name: 'Istanbul', offers: [{offer_id: 'b'}]}]}, 0],
  ] as [string, unknown, number][])('is not believed: %s', (_, json, index) => {
    expect(read(json)[index]).toEqual({offer_id: expect.stringMatching(/^[bc]$/), ...NOTHING})
  })

  test('in the order of the document, each id once', () => {
    const json = {
      z: [{offer_id: 'c'}],
      a: {b: {offer_id: 'a', inner: {offer_id: 'b'}}},
      again: [{offer_id: 'c'}, [[{offer_id: 'd'}]]],
    }
    expect(findOffers(json).map(({offerId}) => offerId)).toEqual(['c', 'a', 'b', 'd'])
  })
})

describe('money', () => {
  test.each([
    [240, 'EUR', '240.00'],
    [240.5, 'EUR', '240.50'],
    [1.005, 'KWD', '1.005'],
    [0.1 + 0.2, 'EUR', '0.30'],
    [1e-7, 'EUR', '0.00'],
    [0, 'EUR', '0.00'],
    [240.123, 'EUR', '240.123'],
    ['240', 'EUR', '240'],
    ['240.1', 'EUR', '240.1'],
    ['123456789012345.67', 'EUR', '123456789012345.67'],
    ['EUR 12.50', undefined, '12.50'],
  ])('%s %s is %s', (total, currency, expected) => {
    expect(read({offer_id: 'a', price: {total, currency}})[0]?.price?.total).toBe(expected)
  })

  test.each([['-1.00'], ['1,250.00'], ['free'], [1e21], [Number.NaN], [-1], [null], [true], [{}], [[]]])(
    '%s is no amount',
    total => {
      expect(read({offer_id: 'a', price: {total, currency: 'EUR'}})[0]?.price?.total).toBeNull()
    },
  )
})

describe('hostile answers', () => {
  test.each([
    null,
    1,
    'x',
    true,
    [],
    {},
    [[[]]],
    {offers: null},
    {offers: [null, 1, [], 'x']},
    {offer_id: 1},
    {offer_id: ''},
    {offer_id: null},
    {offer_id: {}},
  ])('%j holds no offers', json => {
    expect(findOffers(json)).toEqual([])
  })

  test('null and wrong types everywhere', () => {
    const json = {
      offers: [
        {
          offer_id: 'a',
          hotel: null,
          rooms: [null],
          price: null,
          board: [],
          refundable: 'maybe',
          stars: 'many',
          expires_at: 'soon',
          free_cancellation_until: 5,
        },
      ],
    }
    expect(read(json)).toEqual([{offer_id: 'a', ...NOTHING}])
  })

  test('__proto__ and constructor are fields like any other', () => {
    const json = JSON.parse(
      '{"__proto__": {"offer_id": "a", "hotel_name": "A"}, "constructor": {"offer_id": "b"}}',
    )
    expect(read(json)).toMatchObject([
      {offer_id: 'a', hotel_name: 'A'},
      {offer_id: 'b', hotel_name: null},
    ])
    expect(read(JSON.parse('{"offer_id": "c", "__proto__": {"price": "1.00"}}'))[0]?.price?.total).toBeNull()
    expect(({} as Record<string, unknown>).offer_id).toBeUndefined()
  })

  test('a very deep answer ends', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(20_000)}{"offer_id":"x"}${']}'.repeat(20_000)}`)
    expect(findOffers(deep)).toEqual([])
    expect(findOffers([deep, {offer_id: 'b'}])).toHaveLength(1)
  })

  test('ten thousand offers are read at once', () => {
    const rates = Array.from({length: 10_000}, (_, index) => ({
      offer_id: `off_${index}`,
      price: {total: index, currency: 'EUR'},
      board: {code: 'BB'},
      rooms: [{room_name: 'R'}],
    }))
    const found = read({data: {hotels: [{name: 'H', stars: 3, rates}]}})
    expect(found).toHaveLength(10_000)
    expect(found.at(-1)).toMatchObject({
      offer_id: 'off_9999',
      hotel_name: 'H',
      price: price('9999.00', 'EUR'),
    })
  })

  test('ten thousand offers under keys of their own, too', () => {
    const named = Object.fromEntries(
      Array.from({length: 10_000}, (_, index) => [`off_${index}`, {offer_id: `off_${index}`, price: index}]),
    )
    expect(read({currency: 'EUR', data: named}).at(-1)?.price).toEqual(price('9999.00', 'EUR'))
  })
})
