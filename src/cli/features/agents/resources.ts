/** What a client reads without a tool: reference data of the service, and vouchers. */
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import type {Redactor} from '../../../api/redact/redact.js'
import {usage} from '../../../contract/failure.js'
import {checkIdentifier} from '../../input/checks.js'
import {describeFailure} from '../../shell/exit-codes.js'
import {jsonText} from '../../terminal/json-text.js'
import {listContent} from '../catalogue/content.js'
import {fetchBytes} from '../reserve/voucher.js'
import type {Desk} from './desk.js'
import {PDF, voucherUri} from './reservation-tools.js'
import {guarded} from './untrusted.js'

const LISTS = {
  countries: 'The countries of the service, with their codes for client_nationality and guests',
  currencies: 'The currencies of the service, with their codes for search_hotels',
  cities: 'The cities of the service, with their ids and countries, for search_hotels',
} as const

/** Not in the interface: a longer list is cut. search_hotels finds every city by its name. */
const MOST_ITEMS = 5000
/** Longer vouchers are not sent through the protocol. */
const MOST_VOUCHER_BYTES = 8 * 1024 * 1024

/** How a resource is read: as a call of a tool is, a few at a time. */
export type Reading = (read: () => Promise<ReadResourceResult>) => Promise<ReadResourceResult>

export function registerResources(
  server: McpServer,
  desk: Desk,
  redactor: () => Redactor,
  reading: Reading,
): void {
  for (const kind of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
    const uri = `bookctl://${kind}`
    const config = {title: `All ${kind}`, description: LISTS[kind], mimeType: 'application/json'}
    server.registerResource(kind, uri, config, () =>
      reading(async () => {
        const {items} = await listContent(kind, await desk.connect(), {})
        const shown = items.slice(0, MOST_ITEMS).map(item => ({...item, raw: undefined}))
        const {document} = guarded({[kind]: shown}, redactor())
        const cut = items.length > MOST_ITEMS ? {left_out: items.length - MOST_ITEMS} : {}
        // All names are the service's, so that one pointer names the list.
        const text = jsonText({...document, ...cut, untrusted_fields: [`/${kind}`]})
        return {contents: [{uri, mimeType: 'application/json', text}]}
      }),
    )
  }
  const template = new ResourceTemplate(voucherUri('{reservation_ref}'), {list: undefined})
  const config = {title: 'Voucher', description: 'The voucher of a CONFIRMED reservation', mimeType: PDF}
  server.registerResource('voucher', template, config, (uri, {reservation_ref}) =>
    reading(async () => {
      const reference = checkIdentifier('reservation_ref', 'reservation_ref', String(reservation_ref))
      const bytes = await fetchBytes(await desk.connect(), reference, {})
      if (bytes.length > MOST_VOUCHER_BYTES) {
        const hint = `download it: bookctl voucher download ${reference}`
        throw usage('voucher_too_long', `the voucher has ${bytes.length} bytes, too many for a client`, hint)
      }
      return {contents: [{uri: uri.href, mimeType: PDF, blob: Buffer.from(bytes).toString('base64')}]}
    }),
  )
}

/** Returns an error of the protocol, with the error of a command as its data. */
export function protocolError(thrown: unknown): ProtocolError {
  const {error} = describeFailure(thrown).document
  return new ProtocolError(ProtocolErrorCode.InternalError, `${error.message}; ${error.hint}`, {error})
}
