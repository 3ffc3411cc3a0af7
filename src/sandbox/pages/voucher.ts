/** GET /vouchers/{token}: the PDF behind a signed link (§2.6). It takes no Authorization; refusals are plain text. */
import type {Context} from 'hono'
import {isoTime} from '../../contract/dates.js'
import {findBookedHotel} from '../catalogue/hotels.js'
import type {RunningService} from '../http/operation.js'
import type {RequestState} from '../http/requests.js'
import {findClient} from '../store/clients.js'
import {findReservation} from '../store/reservations.js'
import {renderVoucher} from '../voucher/content.js'
import {verifyVoucherLink} from '../voucher/link.js'

export async function downloadVoucher(
  service: RunningService,
  context: Context<RequestState>,
): Promise<Response> {
  const now = service.clock.now()
  const link = verifyVoucherLink(service.database, context.req.param('token') ?? '', now)
  if (link.verdict === 'altered') return context.text('This voucher link is not valid.', 403)
  if (link.verdict === 'expired')
    return context.text('This voucher link has expired; ask for a new one.', 410)
  const stored = findReservation(service.database, 'reservation_ref', link.reservationRef)
  if (stored?.record.status !== 'CONFIRMED') {
    return context.text('The reservation of this voucher is no longer confirmed.', 410)
  }
  const pdf = await renderVoucher(stored.record, {
    hotel: findBookedHotel(stored.record.hotel.hotel_id),
    partnerName: findClient(service.database, stored.clientId)?.name ?? '',
    issuedAt: isoTime(now),
  })
  return new Response(new Uint8Array(pdf), {
    headers: {
      'Content-Type': 'application/pdf',
      'Content-Length': String(pdf.byteLength),
      'Content-Disposition': `inline; filename="voucher-${stored.record.reservation_ref}.pdf"`,
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
