import {describe, expect, it} from 'vitest'
import {hotel} from '../../../src/contract/hotels.js'
import {CITIES, findPlace, type Place, rulesOf} from '../../../src/sandbox/catalogue/cities.js'
import {countryList, currencyList, isSoldIn} from '../../../src/sandbox/catalogue/countries-and-currencies.js'
import HOTEL_WORDS from '../../../src/sandbox/catalogue/hotel-words.json' with {type: 'json'}
import {findHotel, hotelsOf} from '../../../src/sandbox/catalogue/hotels.js'

const ISTANBUL = findPlace(101) as Place

describe('cities', () => {
  it('are at least 24, each with its own id', () => {
    expect(CITIES.length).toBeGreaterThanOrEqual(24)
    expect(new Set(CITIES.map(each => each.id)).size).toBe(CITIES.length)
  })

  it('have Istanbul as 101', () => {
    expect(findPlace(101)).toMatchObject({name: 'Istanbul', country_code: 'TR', timezone: 'Europe/Istanbul'})
    expect(findPlace(100)).toBeUndefined()
  })

  it.each(CITIES)(
    'include $name with its zone, country and all that its hotels and tours are made from',
    each => {
      expect(new Intl.DateTimeFormat('en', {timeZone: each.timezone}).resolvedOptions().timeZone).toBeTruthy()
      const place = findPlace(each.id) as Place
      const {level, season, boards, hotel_words: words, hotel_names, streets, sights} = place
      expect(countryList().map(({code}) => code)).toContain(each.country_code)
      expect(isSoldIn(rulesOf(place).currency)).toBe(true)
      expect(level).toBeGreaterThan(0)
      expect(['city', 'beach', 'winter_sun', 'southern']).toContain(season)
      expect(boards.every(board => ['RO', 'BB', 'HB', 'FB', 'AI'].includes(board))).toBe(true)
      expect([words.length >= 8, words.every(Boolean), sights.every(Boolean)]).toEqual([true, true, true])
      const patterns = HOTEL_WORDS.name_patterns[hotel_names as 'english']
      expect(patterns.every(pattern => pattern.includes('*'))).toBe(true)
      expect(streets.every(street => street.includes('#'))).toBe(true)
    },
  )
})

describe('hotels', () => {
  it.each(CITIES)('of $name are 12 to 20 whole records near the centre with names of their own', each => {
    const hotels = [...hotelsOf(findPlace(each.id) as Place)]
    expect(hotels.length).toBeGreaterThanOrEqual(12)
    expect(hotels.length).toBeLessThanOrEqual(20)
    expect(new Set(hotels.map(({name}) => name)).size).toBe(hotels.length)
    for (const one of hotels) {
      expect(hotel.parse(one)).toEqual(one)
      expect(`${one.name}${one.address}`).not.toMatch(/[*#]/)
      expect(Math.abs(one.latitude - each.latitude)).toBeLessThan(0.02)
      expect(Math.abs(one.longitude - each.longitude)).toBeLessThan(0.02)
      expect(one.timezone).toBe(each.timezone)
    }
  })

  it('are always the same', () => {
    expect(hotelsOf(ISTANBUL).next().value).toMatchObject({
      hotel_id: 1010001,
      name: 'Kaftan Park Otel',
      stars: 2,
      phone: '+90 850 641 9476',
    })
  })

  it('are found by their id, and by no other', () => {
    const hotels = [...hotelsOf(findPlace(204) as Place)]
    for (const one of hotels) expect(findHotel(one.hotel_id)).toEqual(one)
    const last = hotels.at(-1)?.hotel_id ?? 0
    expect(findHotel(last + 1)).toBeUndefined()
    expect(findHotel(2_040_000)).toBeUndefined()
    expect(findHotel(9_990_001)).toBeUndefined()
    expect(findHotel(1_010_001.5)).toBeUndefined()
  })

  it('have distinct names and ids even if there are more than the city has, and are found by id if so many are allowed', () => {
    const numbers = Array.from({length: 800}, (_, index) => index)
    const endless = hotelsOf(ISTANBUL, true)
    const many = numbers.map(() => endless.next().value)
    expect(many.slice(0, 12)).toEqual([...hotelsOf(ISTANBUL)].slice(0, 12))
    expect(new Set(many.map(each => each.name)).size).toBe(many.length)
    expect(findHotel(many[799].hotel_id)).toBeUndefined()
    expect(findHotel(many[799].hotel_id, 800)).toEqual(many[799])
  })
})

describe('reference data', () => {
  it('lists countries, sorted by code', () => {
    const countries = countryList()
    expect(countries.map(({code}) => code)).toEqual(countries.map(({code}) => code).sort())
    expect(countries).toContainEqual({code: 'TR', name: 'Türkiye', phone_code: '+90', currency: 'TRY'})
  })

  it('lists currencies with the minor units of ISO 4217', () => {
    const currencies = currencyList()
    expect(currencies).toContainEqual({code: 'EUR', name: 'Euro', minor_units: 2})
    expect(currencies.find(({code}) => code === 'JPY')?.minor_units).toBe(0)
    expect(currencies.find(({code}) => code === 'KWD')?.minor_units).toBe(3)
  })

  it('can price in the currency of every country', () => {
    const used = countryList()
      .map(each => each.currency)
      .filter(Boolean)
    expect(used.filter(code => !isSoldIn(code))).toEqual([])
  })
})
