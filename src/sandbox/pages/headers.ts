/** The headers every HTML page of the sandbox is sent with. */

/** No script, nothing from elsewhere, no frame; the referrer stays at home because an address may be a secret. */
export const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Not `no-referrer`: with it browsers send `Origin: null` from the form, which would be refused.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}
