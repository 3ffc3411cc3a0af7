/** Converts between the local time of a hotel and Unix seconds. */

/** Returns the UTC offset of a time zone at a point in time, in seconds east of UTC. */
type Offsets = (unixSeconds: number) => number

/**
 * Returns the function that gives the offsets of `zone`. Call it once per zone, because creating a formatter is slow.
 * All zones of the catalogue have offsets of whole minutes.
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
 * Returns the time at which clocks at the hotel show `time` on `date`, as ISO 8601 with the hotel's offset. If they
 * show `time` twice, the first counts. If they skip it, as 02:30, the result is 03:30, as in RFC 5545 and Temporal.
 */
export function atWallClock(date: string, time: string, offsets: Offsets) {
  const wall = Date.parse(`${date}T${time}:00Z`) / 1000
  // Around a change, the offset a day before or a day after applies. The first of the two that fits is used.
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

/** Formats a time as `YYYY-MM-DDTHH:MM` in the local time of `timeZone`. These texts sort in the order of the times. */
export function localTime(unixSeconds: number, timeZone: string): string {
  return isoWithOffset(unixSeconds, offsetsOf(timeZone)(unixSeconds)).slice(0, 16)
}
