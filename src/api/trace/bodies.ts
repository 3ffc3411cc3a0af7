/** What `-vv` adds to the line of an attempt: headers and bodies of both sides, redacted, each cut at 4 KiB. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {parseJson} from '../../contract/json.js'
import {peopleIn} from '../redact/names.js'
import type {Redactor} from '../redact/redact.js'
import type {AttemptRecord} from '../types.js'
import {ExchangeError} from '../types.js'

/** Ours, in UTF-16 units. */
const MOST_LENGTH = 4096

/** Lines without line ends: `>` what was sent, `<` what came. */
export function describeBodies({request, outcome}: AttemptRecord, redactor: Redactor): string[] {
  const sent = request.body === undefined ? undefined : Buffer.from(request.body)
  for (const value of sent ? peopleIn(parseJson(sent)) : []) redactor.add(value)
  const lines = [...headerLines('>', request.headers, redactor), ...bodyLines('>', sent, redactor)]
  if (outcome instanceof ExchangeError) return lines
  return [...lines, ...headerLines('<', outcome.headers, redactor), ...bodyLines('<', outcome.body, redactor)]
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>, redactor: Redactor): string[] {
  return Object.entries(headers).map(([name, value]) => {
    const shown = name === 'location' ? redactor.url(value, false) : redactor.header(name, value)
    return sanitizeLine(`  ${mark} ${redactor.text(name)}: ${shown}`, 1000)
  })
}

function bodyLines(mark: string, body: Uint8Array | undefined, redactor: Redactor): string[] {
  if (body === undefined || body.length === 0) return []
  const json = parseJson(body)
  if (json === undefined) return [`  ${mark} ${body.length} bytes that are not JSON, left out`]
  const text = JSON.stringify(redactor.json(json))
  const left = text.length > MOST_LENGTH ? ` (cut; ${body.length} bytes)` : ''
  return [`  ${mark} ${sanitizeLine(text, MOST_LENGTH)}${left}`]
}
