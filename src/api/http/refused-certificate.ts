/** Tells a refused certificate by what is in it. The refusal itself holds none of that, so it is looked at once more. */
import {isoTime} from '../../contract/dates.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {ExchangeError} from '../types.js'
import {inspectTls, type ShownCertificate, type Way} from './inspect.js'

const MAX_NAME_LENGTH = 80

/** `error` with subject, issuer and expiry of the server's certificate; as it was when there is none to be seen. */
export async function withCertificate(error: ExchangeError, way: Way): Promise<ExchangeError> {
  const view = await inspectTls(way).catch(() => undefined)
  const [own] = view?.chain ?? []
  if (own === undefined || view?.problem === undefined) return error
  return new ExchangeError(error.fault, error.sent, `${error.reason}; it is of ${certificateText(own)}`)
}

/** Whom it is of, who issued it, and until when it holds, on one harmless line. */
export function certificateText({subject, issuer, validUntil}: ShownCertificate): string {
  const until = Number.isFinite(validUntil) ? isoTime(validUntil).slice(0, 10) : 'unknown'
  const [whose, by] = [subject, issuer].map(name => sanitizeLine(name, MAX_NAME_LENGTH))
  return `${whose}, issued by ${by}, until ${until}`
}
