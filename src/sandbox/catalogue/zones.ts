/** The wall clock at a hotel: from its day and hour to the instant, and back. */

/** Seconds east of UTC that `zone` keeps at an instant. */
type Offsets = (unixSeconds: number) => number

/** Making a formatter is slow: make this once for a zone. Zones of our catalogue keep whole minutes. */
export function offsetsOf(zone: string): Offsets {
  const format = new Intl.DateTimeFormat('en-US', {timeZone: zone, timeZoneName: 'longOffset'})
  return unixSeconds => {
    const name = format.formatToParts(unixSeconds * 1000).find(part => part.type === 'timeZoneName')?.value
    // `GMT+05:45` is 20700, `GMT` is 0.
    const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? []
    const seconds = Number(hours) * 3600 + Number(minutes) * 60
    return sign === '-' ? -seconds : seconds
  }
}

/** A time that the clock shows twice means the first; a skipped 02:30 is 03:30, as in RFC 5545 and in Temporal. */
export function atWallClock(date: string, time: string, offsets: Offsets) {
  const wall = Date.parse(`${date}T${time}:00Z`) / 1000
  // A day before and after, the offsets around any change are known; the first that fits is the one meant.
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

/** `YYYY-MM-DDTHH:MM` on the wall clock in `timeZone` at `unixSeconds`; such texts compare as times do. */
export function localTime(unixSeconds: number, timeZone: string): string {
  return isoWithOffset(unixSeconds, offsetsOf(timeZone)(unixSeconds)).slice(0, 16)
}
