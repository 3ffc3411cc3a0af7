/** The states of a reservation (§3), where no schema is needed to know them. */

/** §3, and ours: CANCELLED, EXPIRED. The service may know more; the client takes any word. */
export const RESERVATION_STATUSES = ['PENDING_PAYMENT', 'CONFIRMED', 'CANCELLED', 'EXPIRED'] as const
