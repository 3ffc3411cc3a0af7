import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {CITIES} from '../../../src/sandbox/catalogue/cities.js'
import {atWallClock, offsetsOf} from '../../../src/sandbox/catalogue/zones.js'

const at = (date: string, time: string, zone: string) => atWallClock(date, time, offsetsOf(zone))

describe('a time on the wall clock of a hotel', () => {
  // Offsets and days of change as published for these zones, not computed here.
  it.each([
    ['2030-06-01', '18:00', 'Europe/Istanbul', '2030-06-01T18:00:00+03:00'],
    ['2026-01-15', '18:00', 'Europe/Paris', '2026-01-15T18:00:00+01:00'],
    ['2026-07-15', '18:00', 'Europe/Paris', '2026-07-15T18:00:00+02:00'],
    ['2026-01-15', '18:00', 'Australia/Sydney', '2026-01-15T18:00:00+11:00'],
    ['2026-07-15', '18:00', 'Asia/Kathmandu', '2026-07-15T18:00:00+05:45'],
    // The days of change themselves, after the change.
    ['2026-03-29', '18:00', 'Europe/Berlin', '2026-03-29T18:00:00+02:00'],
    ['2026-10-25', '18:00', 'Europe/Berlin', '2026-10-25T18:00:00+01:00'],
    // And before it.
    ['2026-03-29', '01:30', 'Europe/Berlin', '2026-03-29T01:30:00+01:00'],
    ['2026-10-25', '01:30', 'Europe/Berlin', '2026-10-25T01:30:00+02:00'],
  ])('%s %s in %s is %s', (date, time, zone, text) => {
    const found = at(date, time, zone)
    expect(found.text).toBe(text)
    expect(found.unixSeconds).toBe(Date.parse(text) / 1000)
  })

  it('means the first of two when the clock is put back', () => {
    expect(at('2026-10-25', '02:30', 'Europe/Berlin').text).toBe('2026-10-25T02:30:00+02:00')
    expect(at('2026-11-01', '01:30', 'America/New_York').text).toBe('2026-11-01T01:30:00-04:00')
  })

  it('moves on by the hour that is skipped when the clock is put forward', () => {
    expect(at('2026-03-29', '02:30', 'Europe/Berlin').text).toBe('2026-03-29T03:30:00+02:00')
    expect(at('2026-03-08', '02:30', 'America/New_York').text).toBe('2026-03-08T03:30:00-04:00')
  })

  it('shows 18:00 on that day in every zone of the catalogue on any day', () => {
    const zones = fc.constantFrom(...new Set(CITIES.map(city => city.timezone)))
    const days = fc.integer({min: 18_000, max: 33_000})
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
        const shown = new Intl.DateTimeFormat('sv-SE', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'medium',
        })
        const {unixSeconds, text} = at(date, '18:00', zone)
        expect(shown.format(unixSeconds * 1000)).toBe(`${date} 18:00:00`)
        expect(Date.parse(text)).toBe(unixSeconds * 1000)
        expect(text.slice(0, 19)).toBe(`${date}T18:00:00`)
      }),
    )
  })
})
