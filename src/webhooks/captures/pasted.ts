/**
 * Reads requests from texts that people paste and mail: quoted lines, broken lines, commands, and the output of curl. A request is
 * found in them by its signature header. Texts have one character per byte (latin1).
 */
import {isEventEnvelope} from '../signature/event.js'
import {gatherHeaders, type WebhookHeaderNames} from '../signature/headers.js'
import {readCommands} from './commands.js'
import {ANSWER, BODY_MISSING, CURL_PRINTS_NO_BODY, FOREIGN_FORM} from './gaps.js'
import {beginsJson} from './json-text.js'
import {
  BODY_LABEL,
  HIDDEN_BODY,
  headerIn,
  holdsSignature,
  isSignature,
  REQUEST_LINE,
  STATUS_LINE,
} from './lines.js'
import {isRead, readBrokenLogs, readLogs} from './logs.js'
import {textOfMail} from './mails.js'
import {plainHtml, withoutEscapedLineEnds} from './rendered.js'
import {type Afterwards, type CapturedRequest, hasSignature, numbered, receivedAtOf} from './request.js'
import {mayHoldSeveral, requestTexts} from './several.js'
import {readTrace} from './traces.js'
import {textReadings} from './wrapped.js'

/** Several times as long as an event with a mail around it. */
const MOST_TEXT_BYTES = 4 * 1024 * 1024

/** Returns the requests in a text, or undefined if none is found. `leftOut` counts the entries of a log that are no requests. */
export function readPasted(
  text: string,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): CapturedRequest[] | undefined {
  if (text.length > MOST_TEXT_BYTES) return undefined
  const mail = textOfMail(text) ?? text
  const plain = withoutFences(withoutQuoteMarks(withoutEscapedLineEnds(plainHtml(mail) ?? mail), names))
  const quotedLog =
    plain === text ? undefined : readLogs(Buffer.from(plain, 'latin1').toString(), names, leftOut)
  return (
    (quotedLog?.some(isRead) ? quotedLog : undefined) ??
    readTrace(plain, names) ??
    readCommands(plain, names) ??
    readVerbose(plain, names) ??
    readRequests(plain, names, leftOut) ??
    readBrokenLogs(plain, names) ??
    readAnswer(plain) ??
    quotedLog
  )
}

/** Mails of mails have a few. */
const MOST_LEVELS = 12
const QUOTE_MARK = /^[ \t]*[>|] ?/
/** Matches the lines of `curl -v` that are not of the request. */
const CURL_REMARK =
  /^(?:\* +(?:Trying|Connected|Host |TCP_|ALPN|TLS|SSL|Server |upload completely|We are completely|Connection #|Mark bundle|Using HTTP|Established|Request completely|\[HTTP)|< |[{}] \[\d+ bytes data\])/

/**
 * Returns the text without the marks that a mail puts before quoted lines. The lines before the quoted ones are dropped, unless
 * there is a signature in them. Lines of `curl -v` begin with such a mark too; they are left as they are.
 */
function withoutQuoteMarks(text: string, names: WebhookHeaderNames, levels = MOST_LEVELS): string {
  const lines = text.split('\n')
  const first = lines.findIndex(line => QUOTE_MARK.test(line))
  if (first < 0 || levels === 0 || lines.some(line => CURL_REMARK.test(line))) return text
  const before = lines.slice(0, first)
  const kept = holdsSignature(before.join('\n'), names) ? before : []
  const unmarked = lines.slice(first).map(line => line.replace(QUOTE_MARK, ''))
  return withoutQuoteMarks([...kept, ...unmarked].join('\n'), names, levels - 1)
}

/** Returns the text without lines of ``` and without the spaces that all lines begin with. */
function withoutFences(text: string): string {
  const lines = text.split('\n').filter(line => !/^\s*(?:```|~~~)[\w-]*\s*$/.test(line))
  const indents = lines.filter(line => line.trim() !== '').map(line => /^[ \t]*/.exec(line)?.[0] ?? '')
  const common = indents.reduce(
    (least, indent) => (indent.length < least.length ? indent : least),
    indents[0] ?? '',
  )
  return withoutIndent(lines, common)
}

/** Reads the output of `curl -v`: the lines of the request begin with `>`, and those of the answer with `<`. */
function readVerbose(text: string, names: WebhookHeaderNames): CapturedRequest[] | undefined {
  const lines = text.split(/\r?\n/)
  if (!lines.some(line => CURL_REMARK.test(line))) return undefined
  const heads: string[][] = []
  let isInHead = false
  for (const line of lines) {
    const [, sent] = /^> ?(.*)$/.exec(line) ?? []
    if (sent === undefined) continue
    const isFirst = REQUEST_LINE.test(sent)
    if (isFirst) heads.push([])
    isInHead = isFirst || (isInHead && sent.trim() !== '')
    if (isInHead) heads.at(-1)?.push(sent)
  }
  const requests = heads.map(head => {
    const pairs = head
      .slice(1)
      .map(headerIn)
      .filter(pair => pair !== undefined)
    return {headers: gatherHeaders(pairs), body: new Uint8Array(), gap: CURL_PRINTS_NO_BODY}
  })
  const signed = requests.filter(request => hasSignature(request, names))
  if (requests.length > 0) return (signed.length > 0 ? signed : requests).slice(-1)
  return lines.some(line => /^< HTTP\//.test(line)) ? [{body: new Uint8Array(), gap: ANSWER}] : undefined
}

/** Joins lines, without `indent` where they begin with it. */
function withoutIndent(lines: readonly string[], indent: string): string {
  return lines.map(line => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n')
}

/** Reads the requests in a text. Of several, those that are neither signed nor an event are only counted. */
function readRequests(
  text: string,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): CapturedRequest[] | undefined {
  const parts = mayHoldSeveral(text, names) ? requestTexts(text, names) : [text]
  const found: CapturedRequest[] = []
  for (const part of parts) {
    const {request, isSigned} = readHeadersAndBody(part, names)
    if (isSigned || (parts.length > 1 && isEventEnvelope(request.body))) found.push(request)
    else if (REQUEST_LINE.test(part.trimStart().split('\n', 1)[0] ?? '')) leftOut.count += 1
  }
  return found.length === 0 ? undefined : numbered(found)
}

/**
 * Reads headers, in any order, and the body below them. Other lines before the signature header are passed over, and broken
 * header lines joined.
 */
function readHeadersAndBody(
  text: string,
  names: WebhookHeaderNames,
): {request: CapturedRequest & {readonly body: Uint8Array}; isSigned: boolean} {
  const lines = text.split('\n')
  const pairs: [string, string][] = []
  const key = names.signature.toLowerCase()
  let bodyLine: number | undefined
  let bodyText = ''
  let isAfterHeader = false
  let indent = ''
  for (const [n, line] of lines.entries()) {
    const label = BODY_LABEL.exec(line)?.[0]
    const rest = line.slice(label?.length ?? 0)
    if (beginsJson(rest)) {
      bodyLine = n
      const behind = lines.slice(n + 1)
      bodyText =
        label === undefined
          ? withoutIndent([line, ...behind], line.startsWith(indent) ? indent : '')
          : [rest, ...behind].join('\n')
      break
    }
    if (label !== undefined || REQUEST_LINE.test(line)) continue
    const pair = headerIn(line)
    if (pair?.[0].toLowerCase() === key) indent = /^[ \t]*/.exec(line)?.[0] ?? ''
    const last = pairs.at(-1)
    if (pair) pairs.push(pair)
    else if (last && isAfterHeader && line.trim() !== '') {
      const isToken = last[0].toLowerCase() === key || last[1] === ''
      last[1] = `${last[1]}${isToken ? '' : ' '}${line.trim()}`
    }
    isAfterHeader = pair !== undefined || (isAfterHeader && line.trim() !== '')
  }
  const isSigned = pairs.some(pair => isSignature(pair, names))
  const headers = gatherHeaders(pairs)
  const receivedAt = receivedAtOf(pairs)
  if (bodyLine === undefined) {
    const gap = lines.some(line => HIDDEN_BODY.test(line)) ? FOREIGN_FORM : BODY_MISSING
    return {request: {headers, body: new Uint8Array(), gap, receivedAt}, isSigned}
  }
  const declared = pairs.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
  const length = declared !== undefined && /^\d{1,9}$/.test(declared) ? Number(declared) : undefined
  const afterwards: Afterwards = {notes: []}
  const first = textReadings(bodyText, length, text).next().value
  if (length !== undefined && bodyText.length < length) afterwards.missingBytes = length - bodyText.length
  const isExact = length === bodyText.length
  const body = first === undefined || isExact ? Buffer.from(bodyText, 'latin1') : first.body
  const otherReadings = () => textReadings(bodyText, length, text)
  return {request: {headers, body, afterwards, otherReadings, receivedAt}, isSigned}
}

function readAnswer(text: string): CapturedRequest[] | undefined {
  return STATUS_LINE.test(text) ? [{body: new Uint8Array(), gap: ANSWER}] : undefined
}
