/** An HTTP archive (HAR 1.2) of the attempts, with secrets and people's data taken out. */

import {parseUrl} from '../../contract/foreign-text.js'
import {parseJson, stringify} from '../../contract/json.js'
import {isOperation, type Redactor} from '../redact/redact.js'
import {type AttemptRecord, ExchangeError, type WireAnswer, type WireRequest} from '../types.js'

/** The document to write as JSON; `version` is bookctl's. Bodies that are not JSON (a voucher, an error page) are left out. */
export function toHar(records: readonly AttemptRecord[], version: string, redactor: Redactor): object {
  const entries = records.map(record => toEntry(record, redactor))
  return {log: {version: '1.2', creator: {name: 'bookctl', version}, entries}}
}

function toEntry(record: AttemptRecord, redactor: Redactor): object {
  const {outcome, milliseconds} = record
  const fault = outcome instanceof ExchangeError ? outcome : undefined
  return {
    startedDateTime: new Date(record.startedAt * 1000).toISOString(),
    time: milliseconds,
    request: toRequest(record.request, redactor),
    response: toResponse(outcome instanceof ExchangeError ? undefined : outcome, redactor),
    cache: {},
    timings: {send: 0, wait: milliseconds, receive: 0},
    _attempt: record.attempt,
    _waitBeforeRepeat: record.waitMilliseconds,
    _error: fault && {fault: fault.fault, sent: fault.sent, reason: redactor.text(fault.reason)},
  }
}

function toRequest(request: WireRequest, redactor: Redactor): object {
  const url = redactor.url(request.url, isOperation(request))
  const query = [...(parseUrl(url)?.searchParams ?? [])]
  const {common, content} = toSide(request.headers, Buffer.from(request.body ?? ''), redactor)
  return {
    method: request.method,
    url,
    queryString: query.map(([name, value]) => ({name, value})),
    postData: request.body === undefined ? undefined : content,
    ...common,
  }
}

/** Without an answer, status 0 (HAR 1.2). */
function toResponse(answer: WireAnswer | undefined, redactor: Redactor): object {
  const {status = 0, headers = {}, body = Buffer.alloc(0)} = answer ?? {}
  const {location} = headers
  const {common, content} = toSide(headers, body, redactor)
  const redirectURL = location === undefined ? '' : redactor.url(location, false)
  const bodySize = answer ? body.length : -1
  return {status, statusText: '', content: {size: body.length, ...content}, redirectURL, ...common, bodySize}
}

/** What HAR requires of both sides, and what it says of a body. */
function toSide(headers: WireAnswer['headers'], body: Uint8Array, redactor: Redactor) {
  const shown = Object.entries(headers).map(([name, value]) => ({
    name: redactor.text(name),
    value: redactor.header(name, value),
  }))
  const json = parseJson(body)
  const said =
    json === undefined
      ? {text: '', comment: body.length > 0 ? 'not JSON; left out' : undefined}
      : {text: stringify(redactor.json(json))}
  return {
    common: {httpVersion: 'HTTP/1.1', cookies: [], headers: shown, headersSize: -1, bodySize: body.length},
    content: {mimeType: redactor.text(headers['content-type'] ?? 'x-unknown'), ...said},
  }
}
