/** Converts between the wall clock at a hotel and Unix seconds. */

/** Returns the offset of a zone from UTC, in seconds east, at a point in time. */
type Offsets = (unixSeconds: number) => number

/**
 * Returns the offsets of `zone`. Call once for each zone, because creating a formatter is slow. All zones of the catalogue use
 * whole minutes.
 */
export function offsetsOf(zone: string): Offsets {
  const format = new Intl.DateTimeFormat('en-US', {timeZone: zone, timeZoneName: 'longOffset'})
  return unixSeconds => {
    const name = format.formatToParts(unixSeconds * 1000).find(part => part.type === 'timeZoneName')?.value
    // `GMT+05:45` gives 20700, and `GMT` gives 0.
    const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? []
    const seconds = Number(hours) * 3600 + Number(minutes) * 60
    return sign === '-' ? -seconds : seconds
  }
}

/**
 * Returns when the clock at the hotel shows `time`. A time that is shown twice means the first, and a skipped 02:30 means 03:30,
 * as in RFC 5545 and in Temporal.
 */
export function atWallClock(date: string, time: string, offsets: Offsets) {
  const wall = Date.parse(`${date}T${time}:00Z`) / 1000
  // The offset a day before or the offset a day after applies, even around a change. The first offset that fits is used.
  const before = offsets(wall - 86_400)
  const after = offsets(wall + 86_400)
  const fitting = [before, after].find(offset => offsets(wall - offset) === offset)
  const unixSeconds = wall - (fitting ?? before)
  return isoWithOffset(unixSeconds, offsets(unixSeconds))
}

export function isoWithOffset(unixSeconds: number, offsetSeconds: number): string {
  const wall = new Date((unixSeconds + offsetSeconds) * 1000).toISOString().slice(0, 19)
  const minutes = Math.abs(offsetSeconds) / 60
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${wall}${offsetSeconds < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

/** Formats a time as `YYYY-MM-DDTHH:MM` on the wall clock of `timeZone`. Sorting these texts sorts the times. */
export function localTime(unixSeconds: number, timeZone: string): string {
  return isoWithOffset(unixSeconds, offsetsOf(timeZone)(unixSeconds)).slice(0, 16)
}
