/** The request headers of a webhook (§6.2): their names unless the settings have others. */

/** `t=<Unix seconds>,v1=<lowercase hex>` (§6.2). A neutral word is in place of the maker's name. */
export const SIGNATURE_HEADER = 'X-Service-Signature'
/** The event's identifier, for removing duplicates (§6.2). It is not covered by the signature. */
export const EVENT_ID_HEADER = 'X-Service-Event-Id'
