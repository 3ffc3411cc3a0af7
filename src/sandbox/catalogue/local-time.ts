/** The wall clock at a hotel. */

/** The calendar date in `timeZone` (IANA) at `unixSeconds`. */
export function localDate(unixSeconds: number, timeZone: string): string {
  return localTime(unixSeconds, timeZone).slice(0, 10)
}

/** `YYYY-MM-DDTHH:MM` on the wall clock in `timeZone` at `unixSeconds`; such texts compare as times do. */
export function localTime(unixSeconds: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const parts = Object.fromEntries(
    format.formatToParts(unixSeconds * 1000).map(({type, value}) => [type, value]),
  )
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`
}
