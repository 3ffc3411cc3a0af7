/** The tools that read reservations: `show_reservation`, `list_reservations` and `download_voucher`. */
import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {pathToFileURL} from 'node:url'
import {z} from 'zod'
import {UNKNOWN_NEXT} from '../../../api/operations/lists.js'
import {listReservations as listPage} from '../../../api/operations/reservations.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {StorageError} from '../../../storage/errors.js'
import type {Connection} from '../../session/connect.js'
import {checkCursor, checkInstant, look, readStatus} from '../reservations/reservations.js'
import {fetchBytes, makeDirectory, pathFor, saveVoucher} from '../reserve/voucher.js'
import {cutReservation} from './cut-reservation.js'
import {cursorArgument, nextCursor, reservation, reservationRefArgument} from './schemas.js'
import {defineTool} from './tool.js'

export const showReservation = defineTool({
  name: 'show_reservation',
  title: 'Show a reservation',
  description:
    'Shows a reservation as it is now: state, hotel, dates, price, payment and, once it is CONFIRMED, that a voucher can be downloaded. Where the customer still has to pay, payment.url says where.',
  input: z.strictObject({reservation_ref: reservationRefArgument}),
  output: {reservation},
  run: async ({reservation_ref}, desk) => {
    const found = await look(await desk.connect(), reservation_ref, desk.warn)
    return {document: {reservation: cutReservation(found)}}
  },
})

const MOST_A_PAGE = 50
const USUAL_PAGE = 20
const MOST_WAIT_SECONDS = 60

export const listReservations = defineTool({
  name: 'list_reservations',
  title: 'List reservations',
  description:
    'Lists reservations of the account, in the order of the service, a page at a time. Use client_reference_id to find one by the reference that prepare_reservation gave.',
  input: z.strictObject({
    client_reference_id: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe("Only the reservation with this reference of the partner's own"),
    status: z.string().min(1).max(40).optional().describe('Only those in this state, for example CONFIRMED'),
    created_from: z
      .string()
      .optional()
      .describe('Only those created on this day (YYYY-MM-DD, UTC) or later; or a timestamp'),
    created_to: z.string().optional().describe('Only those created on this day or earlier; or a timestamp'),
    limit: z
      .int()
      .min(1)
      .max(MOST_A_PAGE)
      .optional()
      .describe(`Reservations of a page (default ${USUAL_PAGE})`),
    cursor: cursorArgument,
  }),
  output: {reservations: z.array(reservation), next_cursor: nextCursor, warning: z.string().optional()},
  run: async ({status, created_from, created_to, client_reference_id, cursor, limit = USUAL_PAGE}, desk) => {
    const query = {
      client_reference_id,
      status: status && readStatus('status', status),
      created_from: created_from && checkInstant('created_from', created_from),
      created_to: created_to && checkInstant('created_to', created_to),
    }
    const after = cursor === undefined ? undefined : checkCursor('cursor', cursor)
    const {api} = await desk.connect()
    const {reservations, next} = await listPage(api, {query, limit, after})
    const document = {
      reservations: reservations.map(cutReservation),
      next_cursor: next === UNKNOWN_NEXT ? null : next,
    }
    if (next !== UNKNOWN_NEXT) return {document}
    const warning =
      'there are more, and the service does not say how to ask for them: raise limit, or narrow the list'
    return {document, added: {warning}}
  },
})

export const downloadVoucher = defineTool({
  name: 'download_voucher',
  title: 'Download a voucher',
  description:
    'Downloads the voucher of a CONFIRMED reservation, a PDF, and returns a link to it: a file where this server may write one (path), otherwise a resource that the client reads.',
  annotations: {readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true},
  input: z.strictObject({
    reservation_ref: reservationRefArgument,
    wait_seconds: z
      .int()
      .min(0)
      .max(MOST_WAIT_SECONDS)
      .optional()
      .describe('How long to wait until the voucher is ready (default 0)'),
  }),
  output: {
    reservation_ref: z.string(),
    uri: z.string().describe('Where the client reads it'),
    path: z.string().nullable().describe('The file; null where this server writes none'),
    bytes: z.int(),
    sha256: z.string(),
  },
  run: async ({reservation_ref: reference, wait_seconds: wait}, desk) => {
    const connection = await desk.connect()
    const directory = desk.voucherDirectory
    const saved =
      directory === undefined
        ? await withoutFile(connection, reference, wait)
        : await inDirectory(connection, reference, wait, directory)
    const uri = saved.path === null ? voucherUri(reference) : pathToFileURL(saved.path).href
    const {path, bytes, sha256} = saved
    return {
      document: {reservation_ref: reference},
      added: {uri, path, bytes, sha256},
      link: {
        uri,
        name: `voucher-${reference}.pdf`,
        mimeType: PDF,
        description: `Voucher of reservation ${reference}`,
      },
    }
  },
})

/** The address under which a client reads the voucher of a reservation. */
export const voucherUri = (reference: string) => `bookctl://vouchers/${reference}`
export const PDF = 'application/pdf'

async function withoutFile(connection: Connection, reference: string, wait: number | undefined) {
  return {path: null, ...digestOf(await fetchBytes(connection, reference, {wait}))}
}

/** Writes the voucher below `directory`, beside files that exist: none is replaced. */
async function inDirectory(
  connection: Connection,
  reference: string,
  wait: number | undefined,
  directory: string,
) {
  makeDirectory('--voucher-dir', directory, false)
  const path = freePath(pathFor(reference, directory))
  return saveVoucher(connection, reference, {dir: directory, wait}, path).catch(error => {
    if (!(error instanceof StorageError)) throw error
    const problem = `--voucher-dir: no file can be written in ${sanitizeLine(directory, 200)}`
    throw usage('cannot_write', problem, 'the person who started this server can name another directory')
  })
}

/** How many vouchers of one reservation are kept. */
const MOST_COPIES = 50

/** Returns `path`, or `…-2.pdf` and so on, where no file is. Throws a usage error if there are too many. */
function freePath(path: string): string {
  if (!existsSync(path)) return path
  for (let copy = 2; copy <= MOST_COPIES; copy++) {
    const other = path.replace(/\.pdf$/, `-${copy}.pdf`)
    if (!existsSync(other)) return other
  }
  const problem = `${sanitizeLine(path, 200)} and ${MOST_COPIES - 1} copies of it exist`
  throw usage('file_exists', problem, 'ask the person to remove some of them')
}

function digestOf(bytes: Uint8Array) {
  return {bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex')}
}
