/** Splits a text with several requests. Texts have one character per byte (latin1). */
import type {WebhookHeaderNames} from '../signature/headers.js'
import {beginsJson, endOfValue} from './json-text.js'
import {BODY_LABEL, headerIn, holdsSignature, isSignature, REQUEST_LINE} from './lines.js'

/** A cheap check, so that the lines of most texts are not looked at. */
export function mayHoldSeveral(text: string, names: WebhookHeaderNames): boolean {
  const lines = text.match(/^[ \t]*[A-Z]{3,16} \S+ HTTP\/\d/gm) ?? []
  const name = names.signature.toLowerCase()
  return holdsSignature(text, names) && (lines.length > 1 || text.toLowerCase().split(name).length > 2)
}

/**
 * Returns the parts of `text` with one request each, or the text alone. A request begins at its request line, or, behind a signed
 * request and its body, at the headers among which the next signature is. No request begins within a body.
 */
export function requestTexts(text: string, names: WebhookHeaderNames): string[] {
  const starts: number[] = []
  let isStarted = false
  let isSigned = false
  let hasBody = false
  let isOpen = false
  let bodyEnd = 0
  let blockStart: number | undefined
  let declared = 0
  let at = 0
  for (const line of text.split('\n')) {
    const start = at
    at += line.length + 1
    if (start < bodyEnd) continue
    if (REQUEST_LINE.test(line.trimStart())) {
      if (isStarted || hasBody) starts.push(start)
      isStarted = true
      isSigned = false
      hasBody = false
      isOpen = false
      declared = 0
      blockStart = start
      continue
    }
    const label = BODY_LABEL.exec(line)?.[0].length ?? 0
    if (beginsJson(line.slice(label))) {
      hasBody = true
      blockStart = undefined
      // JSON that is cut off has no end to look behind.
      const length: number = isOpen ? 0 : endOfValue(text.slice(start + label))
      isOpen = length === 0
      bodyEnd = start + label + length
      continue
    }
    // Behind JSON that is cut off, a name in quotes is one of its members.
    const header = isOpen && line.trimStart().startsWith('"') ? undefined : headerIn(line)
    if (header === undefined) {
      // A body that is not JSON ends where its length says.
      const isHeadEnd = line.trim() === '' && blockStart !== undefined && declared > 0
      if (isHeadEnd && !beginsJson(text.slice(at, at + 100))) bodyEnd = Math.min(at + declared, text.length)
      if (line.trim() === '') blockStart = undefined
      continue
    }
    blockStart ??= start
    if (/^content-length$/i.test(header[0]) && /^\d{1,9}$/.test(header[1])) declared = Number(header[1])
    if (!isSignature(header, names)) continue
    if (isSigned && hasBody) {
      starts.push(blockStart)
      hasBody = false
      isOpen = false
    }
    isSigned = true
  }
  return [0, ...starts].map((start, n) => text.slice(start, starts[n]))
}
