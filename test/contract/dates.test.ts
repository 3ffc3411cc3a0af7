import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {addDays, ageOn, dayNumber, isCalendarDate, isoTime, nightsBetween} from '../../src/contract/dates.js'

const days = fc.integer({min: -719_000, max: 2_932_000})
const dateOf = (day: number) => addDays('1970-01-01', day)

it('an instant is written to the nearest millisecond', () => {
  expect(isoTime(1_700_000_000.0019999)).toBe('2023-11-14T22:13:20.002Z')
})

describe('calendar dates', () => {
  it('exist or not', () => {
    const good = ['2030-06-01', '2028-02-29', '2000-02-29', '0004-02-29', '9999-12-31', '0001-01-01']
    const wrong =
      '2030-02-29 1900-02-29 2030-04-31 2030-13-01 2030-00-10 2030-01-00 2030-1-1 30-01-01 ٢٠٣٠-٠١-٠١'
    const bad = [...wrong.split(' '), '2030-01-01T00:00:00Z', ' 2030-01-01', '2030-01-01\n', '']
    expect([...good, ...bad].filter(isCalendarDate)).toEqual(good)
  })

  it('end where four digits do', () => {
    expect(addDays('9999-12-30', 1)).toBe('9999-12-31')
    expect(() => addDays('9999-12-31', 1)).toThrow(RangeError)
    expect(() => addDays('0000-01-01', -1)).toThrow(RangeError)
  })

  it('are numbered from 1970-01-01', () => {
    expect(dayNumber('1970-01-01')).toBe(0)
    expect(dayNumber('1969-12-31')).toBe(-1)
    expect(dayNumber('2030-06-01')).toBe(22_066)
    expect(dayNumber('nothing')).toBeUndefined()
  })

  it('are added to and counted between across months, years and leap days', () => {
    expect(addDays('2028-02-28', 2)).toBe('2028-03-01')
    expect(addDays('2030-12-31', 1)).toBe('2031-01-01')
    expect(addDays('2030-01-01', -1)).toBe('2029-12-31')
    expect(nightsBetween('2030-06-01', '2030-06-04')).toBe(3)
    expect(nightsBetween('2030-06-04', '2030-06-01')).toBe(-3)
    // The night in which clocks change is a night.
    expect(nightsBetween('2026-03-28', '2026-03-30')).toBe(2)
  })

  it('come back from a day number, and adding undoes counting', () => {
    fc.assert(
      fc.property(days, days, (a, b) => {
        expect(dayNumber(dateOf(a))).toBe(a)
        expect(nightsBetween(dateOf(a), dateOf(b))).toBe(b - a)
      }),
    )
  })

  it('refuse to compute with what is no date', () => {
    expect(() => addDays('2030-02-30', 1)).toThrow('2030-02-30')
    expect(() => nightsBetween('2030-01-01', 'x')).toThrow(RangeError)
    expect(() => ageOn('x', '2030-01-01')).toThrow(RangeError)
  })
})

it.each([
  ['2018-06-01', '2030-05-31', 11],
  ['2018-06-01', '2030-06-01', 12],
  ['2012-02-29', '2030-02-28', 17],
  ['2012-02-29', '2030-03-01', 18],
  ['2012-02-29', '2028-02-29', 16],
  ['2030-06-01', '2030-06-01', 0],
  ['2030-06-02', '2030-06-01', -1],
])('the age of someone born on %s is, on %s, %d', (born, on, age) => expect(ageOn(born, on)).toBe(age))
