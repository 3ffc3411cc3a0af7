/** What an entry of the reservation journal says about its own sending, for those who keep it and those who read it. */

/** The outcome of an entry of which nothing was sent, once its run has ended. */
export const NOT_SENT = 'not_sent'

/** Whether nothing of the entry was ever sent: its run ended before, was killed before, or has not come to it yet. */
export function isNeverSent(entry: {
  readonly outcome: string
  readonly reservationRef: string | null
  readonly attempts: number
}): boolean {
  if (entry.reservationRef !== null || entry.attempts > 0) return false
  return entry.outcome === NOT_SENT || entry.outcome === 'unresolved'
}
