/** An HTTP archive (HAR 1.2) of the attempts, with secrets and people's data taken out. */
import {parseJson} from '../../contract/json.js'
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
    response: outcome instanceof ExchangeError ? NO_RESPONSE : toResponse(outcome, redactor),
    cache: {},
    timings: {send: 0, wait: milliseconds, receive: 0},
    _attempt: record.attempt,
    _waitBeforeRepeat: record.waitMilliseconds,
    _error: fault && {fault: fault.fault, sent: fault.sent, reason: redactor.text(fault.reason)},
  }
}

const NO_RESPONSE = {
  status: 0,
  statusText: '',
  httpVersion: 'HTTP/1.1',
  cookies: [],
  headers: [],
  content: {size: 0, mimeType: 'x-unknown'},
  redirectURL: '',
  headersSize: -1,
  bodySize: -1,
}

function toRequest(request: WireRequest, redactor: Redactor): object {
  const url = redactor.url(request.url, isOperation(request))
  const query = URL.canParse(url) ? [...new URL(url).searchParams] : []
  return {
    method: request.method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toHeaders(request.headers, redactor),
    queryString: query.map(([name, value]) => ({name, value})),
    postData: request.body === undefined ? undefined : toPostData(request, request.body, redactor),
    headersSize: -1,
    bodySize: Buffer.byteLength(request.body ?? ''),
  }
}

function toPostData(request: WireRequest, body: string, redactor: Redactor): object {
  const json = parseJson(Buffer.from(body))
  const mimeType = request.headers['content-type'] ?? 'application/json'
  const text = json === undefined ? '' : JSON.stringify(redactor.json(json))
  return {mimeType, text, comment: json === undefined ? 'not JSON; left out' : undefined}
}

function toResponse(answer: WireAnswer, redactor: Redactor): object {
  const {location} = answer.headers
  return {
    status: answer.status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toHeaders(answer.headers, redactor),
    content: toContent(answer, redactor),
    redirectURL: location === undefined ? '' : redactor.url(location, false),
    headersSize: -1,
    bodySize: answer.body.length,
  }
}

function toContent(answer: WireAnswer, redactor: Redactor): object {
  const size = answer.body.length
  const mimeType = redactor.text(answer.headers['content-type'] ?? 'x-unknown')
  const json = parseJson(answer.body)
  if (json !== undefined) return {size, mimeType, text: JSON.stringify(redactor.json(json))}
  return size === 0 ? {size, mimeType} : {size, mimeType, comment: 'not JSON; left out'}
}

function toHeaders(headers: Readonly<Record<string, string>>, redactor: Redactor): object[] {
  return Object.entries(headers).map(([name, value]) => ({
    name: redactor.text(name),
    value: name === 'location' ? redactor.url(value, false) : redactor.header(name, value),
  }))
}
