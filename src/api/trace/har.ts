/** Builds an HTTP archive (HAR 1.2) of the attempts, without secrets and personal data. */

import {parseUrl} from '../../contract/foreign-text.js'
import {parseJson, stringify} from '../../contract/json.js'
import {isOperation, type Redactor} from '../redact/redact.js'
import {type AttemptRecord, ExchangeError, type WireAnswer} from '../types.js'

/**
 * Returns the HAR document, to be written as JSON. `version` is the version of bookctl. Bodies that are not JSON (a
 * voucher, an error page) are left out.
 */
export function toHar(records: readonly AttemptRecord[], version: string, redactor: Redactor): object {
  const entries = records.map(({request, outcome, startedAt, milliseconds, attempt, waitMilliseconds}) => {
    const url = redactor.url(request.url, isOperation(request))
    const query = [...(parseUrl(url)?.searchParams ?? [])]
    const sent = toSide(request.headers, Buffer.from(request.body ?? ''), redactor)
    const fault = outcome instanceof ExchangeError ? outcome : undefined
    const answer = outcome instanceof ExchangeError ? undefined : outcome
    // HAR 1.2 has status 0 for a request without an answer.
    const {status = 0, headers = {}, body = Buffer.alloc(0)} = answer ?? {}
    const received = toSide(headers, body, redactor)
    return {
      startedDateTime: new Date(startedAt * 1000).toISOString(),
      time: milliseconds,
      request: {
        method: request.method,
        url,
        queryString: query.map(([name, value]) => ({name, value})),
        postData: request.body === undefined ? undefined : sent.content,
        ...sent.common,
      },
      response: {
        status,
        statusText: '',
        content: {size: body.length, ...received.content},
        redirectURL: headers.location === undefined ? '' : redactor.url(headers.location, false),
        ...received.common,
        bodySize: answer ? body.length : -1,
      },
      cache: {},
      timings: {send: 0, wait: milliseconds, receive: 0},
      _attempt: attempt,
      _waitBeforeRepeat: waitMilliseconds,
      _error: fault && {fault: fault.fault, sent: fault.sent, reason: redactor.text(fault.reason)},
    }
  })
  return {log: {version: '1.2', creator: {name: 'bookctl', version}, entries}}
}

/** Returns the fields that HAR requires for both a request and a response, and the HAR description of the body. */
function toSide(headers: WireAnswer['headers'], body: Uint8Array, redactor: Redactor) {
  const shown = Object.entries(headers).map(([name, value]) => ({
    name: redactor.text(name),
    value: redactor.header(name, value),
  }))
  const json = parseJson(body)
  const shownBody =
    json === undefined
      ? {text: '', comment: body.length > 0 ? 'not JSON; left out' : undefined}
      : {text: stringify(redactor.json(json))}
  return {
    common: {httpVersion: 'HTTP/1.1', cookies: [], headers: shown, headersSize: -1, bodySize: body.length},
    content: {mimeType: redactor.text(headers['content-type'] ?? 'x-unknown'), ...shownBody},
  }
}
