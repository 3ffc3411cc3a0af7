/**
 * Reads what `curl --trace` and `--trace-ascii` write: the bytes that were sent, in lines with their offsets. Texts have one
 * character per byte (latin1).
 */
import {gatherHeaders, headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {BODY_MISSING, unclear} from './gaps.js'
import {type CapturedRequest, signedOrFirst} from './request.js'

const SECTION = /^(?:[\d:.]+ )?(=>|<=|==) (Send|Recv|Info)(?: |:)(header|data|SSL data)?(?:, (\d+) bytes)?/
const DATA = /^([\da-f]{4,8}): ?(.*)$/s
/** A line of `--trace`: up to sixteen bytes in hex, then the same as text. */
const HEX = /^((?:[\da-f]{2} ){1,16})/
const ASCII_WIDTH = 64
const HEX_WIDTH = 16

/** Returns the requests that were sent, or undefined if the text is no trace. */
export function readTrace(text: string, names: WebhookHeaderNames): CapturedRequest[] | undefined {
  const sections = sectionsOf(text)
  if (sections.length === 0) return undefined
  const sent = sections.filter(({isSent}) => isSent)
  const isHex = sent.every(({lines}) => lines.every(([, content]) => HEX.test(content)))
  const requests: {head: string; data: string}[] = []
  for (const section of sent) {
    const bytes = isHex ? hexBytes(section) : asciiBytes(section)
    if (section.kind === 'header') requests.push({head: bytes, data: ''})
    else if (requests.length > 0) (requests.at(-1) as {data: string}).data += bytes
  }
  const read = requests.map(({head, data}) => requestOf(head, data, isHex))
  return read.length === 0 ? undefined : signedOrFirst(read, names)
}

interface Section {
  readonly isSent: boolean
  readonly kind: string
  readonly length: number | undefined
  /** The offset and the text of each line. */
  readonly lines: (readonly [number, string])[]
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  for (const line of text.split(/\r?\n/)) {
    const head = SECTION.exec(line)
    if (head) {
      const [, arrow, , kind = '', length] = head
      const isSent = arrow === '=>' && (kind === 'header' || kind === 'data')
      sections.push({isSent, kind, length: length === undefined ? undefined : Number(length), lines: []})
      continue
    }
    const [, offset, content = ''] = DATA.exec(line) ?? []
    if (offset !== undefined) sections.at(-1)?.lines.push([Number.parseInt(offset, 16), content])
  }
  return sections.filter(({kind, lines}) => kind !== '' || lines.length > 0)
}

function hexBytes({lines}: Section): string {
  const hex = lines.map(([, content]) =>
    (HEX.exec(content.slice(0, HEX_WIDTH * 3))?.[1] ?? '').replaceAll(' ', ''),
  )
  return Buffer.from(hex.join(''), 'hex').toString('latin1')
}

/** Puts the lines together. The offset of the next line shows where a CRLF, which is not printed, ends a line. */
function asciiBytes({lines, length}: Section): string {
  let bytes = ''
  for (const [n, [offset, content]] of lines.entries()) {
    const next = lines[n + 1]?.[0] ?? length ?? offset + content.length
    const lost = next - offset - content.length
    bytes += content
    if (lost === 2 && content.length + lost !== ASCII_WIDTH) bytes += '\r\n'
    else if (lost > 0 && lost <= ASCII_WIDTH) bytes += ' '.repeat(lost)
  }
  return bytes
}

function requestOf(head: string, data: string, isHex: boolean): CapturedRequest {
  const pairs = head.split('\r\n').flatMap((line): [string, string][] => {
    const [, name, value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value]]
  })
  const headers = gatherHeaders(pairs)
  const body = Buffer.from(data, 'latin1')
  if (data === '' && headerOf(headers, 'content-length') !== '0') return {headers, body, gap: BODY_MISSING}
  const declared = headerOf(headers, 'content-length')
  const missing =
    typeof declared === 'string' && /^\d{1,9}$/.test(declared) ? Number(declared) - data.length : 0
  const afterwards = {notes: [], ...(missing > 0 ? {missingBytes: missing} : {})}
  return {headers, body, afterwards, doubt: isHex ? undefined : doubtOf(data)}
}

/**
 * Returns the doubt about a body of `--trace-ascii`, if it may have lost bytes. A letter beyond ASCII has several bytes and is
 * printed as several full stops. One full stop may be a line break between values; then the text is no JSON.
 */
function doubtOf(data: string) {
  const what =
    'curl --trace-ascii prints a full stop for each byte that is not plain ASCII, so bytes of the body are lost.'
  try {
    JSON.parse(data)
    return data.includes('..') ? unclear(what) : undefined
  } catch {
    return data.includes('.') ? unclear(what) : undefined
  }
}
