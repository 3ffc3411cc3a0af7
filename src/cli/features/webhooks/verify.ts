/**
 * `webhooks verify` and `sign`: reads inputs, times and secrets, and prints the results of `verify` as one result, a list, or
 * lines.
 */
import {existsSync} from 'node:fs'
import {open} from 'node:fs/promises'
import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {instantOf, isoTime, systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {readCaptures} from '../../../webhooks/captures/captures.js'
import type {CapturedRequest} from '../../../webhooks/captures/request.js'
import {type CheckResult, check, MOST_KEPT_BYTES, usualLineCheck} from '../../../webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../webhooks/diagnose/finding.js'
import {headerOf} from '../../../webhooks/signature/headers.js'
import {createSigner, signatureIn} from '../../../webhooks/signature/signature.js'
import {checkGiven, invalid} from '../../input/checks.js'
import {readBytes, readingProblem} from '../../input/files.js'
import {checkedFlag} from '../../input/flags.js'
import {whileReading} from '../../input/pending-reads.js'
import {ListAside} from '../../terminal/list-aside.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {stdinIsTerminal, writePieces} from '../../terminal/streams.js'
import {
  chooseSigningSecrets,
  removedSecretsFor,
  resolveWebhookSecrets,
  storedWebhookSecrets,
  type WebhookSecretFlags,
  webhookHeaderNames,
  webhookSecretFlags,
} from './secrets.js'

export const verifyFlags = {
  signature: Flags.string({helpValue: 'HEADER', summary: 'value of the signature header of a raw body'}),
  'event-id': checkedFlag(checkGiven)({
    helpValue: 'ID',
    summary: 'value of the event id header of a raw body',
  }),
  ...webhookSecretFlags,
  body: Flags.string({
    helpValue: 'FILE',
    summary: 'body of a request whose headers are in the input',
    exclusive: ['signature'],
  }),
  at: checkedFlag((field, text) => (text === 'received' || text === 'signed' ? text : readTime(field, text)))(
    {
      helpValue: 'TIME|received|signed',
      summary: 'check at this time, or when each was received or signed (default now)',
    },
  ),
  reply: Flags.boolean({summary: 'print the verdict as a mail to the partner who sent the request'}),
  tolerance: Flags.integer({
    helpValue: 'SECONDS',
    min: 0,
    max: 10_000_000_000,
    summary: `largest difference from the time (default ${SIGNATURE_TOLERANCE_SECONDS})`,
  }),
}

type VerifyFlags = WebhookSecretFlags & InferredFlags<typeof verifyFlags>

/** Returns the terms that requests are checked by. Throws a usage error if there is no secret. */
export async function planVerify(flags: VerifyFlags, state: State): Promise<CheckTerms> {
  const {at, signature, tolerance = SIGNATURE_TOLERANCE_SECONDS} = flags
  return {
    secrets: await resolveWebhookSecrets(flags, state),
    signature,
    eventId: flags['event-id'],
    toleranceSeconds: tolerance,
    now({receivedAt, problem, gap}, header) {
      if (at === 'signed') return signedAt(header) ?? systemClock.now()
      if (at !== 'received') return at ?? systemClock.now()
      if (receivedAt !== undefined) return receivedAt
      if (problem !== undefined || gap !== undefined) return 0
      const hint =
        'captures of webhooks listen, events show and HAR files do; otherwise pass the time itself, or --at signed'
      const missing = '--at received: the capture does not contain the time of receipt'
      throw usage('no_receiving_time', missing, hint)
    },
    names: webhookHeaderNames(flags, state),
    inVain: {count: 0},
    otherSecrets: () => storedWebhookSecrets(state),
    removedSecrets: removedSecretsFor(flags, state),
    async findOriginal(id) {
      try {
        const [event] = await (await state.events()).page({ids: [id]}, {}, 1)
        return event?.body
      } catch (error) {
        // The original body is only needed for an explanation.
        if (error instanceof StorageError) return undefined
        throw error
      }
    },
  }
}

/** Returns the time in a well-formed signature header, in Unix seconds. */
function signedAt(header: string | readonly string[] | undefined): number | undefined {
  const signature = signatureIn(header)
  return typeof signature === 'string' ? undefined : Number(signature.timestamp)
}

/** Reads the time of a signature as whole Unix seconds. Throws a usage error for an invalid time or one before 1970. */
export function readSigningTime(field: string, text: string): number {
  const seconds = Math.floor(readTime(field, text))
  if (seconds >= 0) return seconds
  throw invalid(field, 'must not lie before 1970', text)
}

/** Reads `1700000000`, or an ISO 8601 time with an offset, as Unix seconds. Throws a usage error for anything else. */
function readTime(field: string, text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i.test(text)
  const instant = iso ? instantOf(text) : undefined
  if (instant !== undefined) return instant
  throw invalid(field, 'must be Unix seconds, or a time such as 2026-11-20T12:00:00Z', text)
}

export interface VerifyOptions {
  /** The body of the one request whose headers are in the input. */
  readonly body?: Uint8Array | undefined
  /** Whether each result has a reply. */
  readonly replies: boolean
}

/** Reads the body of --body. Throws a usage error if it cannot be read or is too long. */
export async function readBody({body}: VerifyFlags): Promise<Uint8Array | undefined> {
  return body === undefined ? undefined : readBytes('--body', body, MOST_KEPT_BYTES)
}

/** Codes of gaps that a body does not fill. */
const NO_BODY_MENDS: readonly unknown[] = ['request_missing', 'no_request', 'signature_masked']

/** Returns `request` with the body of --body in place of its own. Gaps that a body does not fill remain. */
function withBody(request: CapturedRequest, body: Uint8Array): CapturedRequest {
  const {headers, receivedAt, place, problem, gap} = request
  const declared = headerOf(headers ?? {}, 'content-length')
  const missingBytes = typeof declared === 'string' ? Number(declared) - body.length : 0
  return {
    headers,
    receivedAt,
    body,
    ...(missingBytes > 0 ? {afterwards: {notes: [], missingBytes}} : {}),
    ...(place === undefined ? {} : {place}),
    ...(problem === undefined ? {} : {problem}),
    gap: NO_BODY_MENDS.includes(gap?.code) ? gap : undefined,
  }
}

/**
 * Yields the results in order, in groups that were read together. `leftOut` counts entries that are not webhooks. Throws a usage
 * error if an input cannot be read, or if there are several requests for one body.
 */
export async function* verifyInputs(
  inputs: readonly string[],
  terms: CheckTerms,
  leftOut: {count: number},
  warn: (text: string) => void,
  {body, replies}: VerifyOptions,
): AsyncGenerator<readonly Verified[]> {
  const replyText = replies ? (await import('./verify-reply.js')).replyText : undefined
  let read = 0
  const options = {signatureGiven: terms.signature !== undefined, names: terms.names, leftOut}
  for (const input of inputs) {
    const before = leftOut.count
    const name = input === '-' ? 'standard input' : sanitizeLine(input, 200)
    const shortcut = body === undefined && !replies ? usualLineCheck(terms, name) : undefined
    try {
      for await (const requests of readCaptures(openInput(input), {...options, shortcut})) {
        const verified: Verified[] = []
        for (const captured of requests) {
          read += 1
          if (body !== undefined && read > 1)
            throw usage('several_requests', SEVERAL_FOR_BODY, 'pass one request')
          if ('input' in captured) {
            verified.push(captured)
            continue
          }
          const request = body === undefined ? captured : withBody(captured, body)
          const checked = check(request, terms)
          const result = checked instanceof Promise ? await checked : checked
          const place = `${name}${request.place ?? ''}`
          for (const note of request.afterwards?.notes ?? []) warn(`${place}: ${note}`)
          const eventId = terms.eventId ?? headerOf(request.headers ?? {}, terms.names.eventId)
          verified.push({
            input: place,
            ...result,
            ...(replyText ? {reply: replyText(result, eventId)} : {}),
          })
        }
        yield verified
      }
      const others = leftOut.count - before
      if (others === 1) warn(`${name}: 1 entry is no webhook request and was not checked`)
      if (others > 1) warn(`${name}: ${others} entries are no webhook requests and were not checked`)
    } catch (error) {
      throw readingFailed(error, name)
    }
  }
}

const SEVERAL_FOR_BODY = '--body: the input has several requests, and the body belongs to one'

/** Bytes per read; smaller reads would wait for the system more often. */
const READ_BYTES = 512 * 1024
/** Bytes per part. All lines of a part are in memory at the same time. */
const PART_BYTES = 64 * 1024

/** Returns the bytes of `input` (`-`: standard input). A piece may be overwritten as soon as the next one is requested. */
function openInput(input: string): AsyncIterable<Uint8Array> {
  return input === '-' ? process.stdin : readFile(input)
}

/**
 * Reads one piece while the previous one is processed, always into the same two buffers, so that gigabytes of input leave no
 * garbage.
 */
async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await whileReading(() => open(path))
  try {
    const read = (buffer: Buffer) => whileReading(() => file.read(buffer, 0, buffer.length, null))
    let piece = Buffer.allocUnsafeSlow(READ_BYTES)
    let spare = Buffer.allocUnsafeSlow(READ_BYTES)
    let reading = read(piece)
    for (;;) {
      const {bytesRead} = await reading
      if (bytesRead === 0) return
      const full = piece.subarray(0, bytesRead)
      reading = read(spare)
      // A failure is handled where the read is awaited.
      reading.catch(() => {})
      for (let at = 0; at < bytesRead; at += PART_BYTES) yield full.subarray(at, at + PART_BYTES)
      const next = spare
      spare = piece
      piece = next
    }
  } finally {
    await file.close()
  }
}

function readingFailed(error: unknown, name: string): unknown {
  const {code, syscall} = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  return usage('cannot_read', `cannot read ${name} (${readingProblem(code)})`)
}

/**
 * Returns the given inputs, or standard input. Throws a usage error if that is a terminal or would be read twice, or if a file
 * does not exist.
 */
export function chooseInputs(
  typed: readonly string[],
  flags: WebhookSecretFlags & {readonly body?: string | undefined},
): string[] {
  const inputs = typed.length > 0 ? [...typed] : ['-']
  const absent = inputs.find(input => input !== '-' && !existsSync(input))
  if (absent !== undefined)
    throw usage('cannot_read', `cannot read ${sanitizeLine(absent, 200)} (${readingProblem('ENOENT')})`)
  const fromStdin = inputs.filter(input => input === '-').length
  if (fromStdin === 0) return inputs
  if (flags['secret-stdin'] || flags['secret-file'] === '-' || flags.body === '-' || fromStdin > 1) {
    throw usage('invalid_input', 'standard input can be read only once', 'pass the other as a file')
  }
  if (typed.length === 0 && stdinIsTerminal()) {
    throw usage('missing_argument', 'missing: FILE, or a webhook on standard input', 'see --help')
  }
  return inputs
}

/**
 * Signs `file` (`-` or undefined: standard input) as a stream, without loading it into memory. Times are in Unix seconds. Throws
 * a usage error if it cannot be read.
 */
export async function signInput(
  file: string | undefined,
  flags: WebhookSecretFlags & {readonly at?: number | undefined},
  state: State,
): Promise<{signature: string; timestamp: number}> {
  const [input = '-'] = chooseInputs(file === undefined ? [] : [file], flags)
  const timestamp = flags.at ?? Math.floor(systemClock.now())
  const secrets = (await chooseSigningSecrets(flags, state)).map(({secret}) => secret)
  const signer = createSigner(secrets, String(timestamp))
  try {
    for await (const piece of openInput(input)) signer.update(piece)
  } catch (error) {
    throw readingFailed(error, input)
  }
  return {signature: signer.finish(), timestamp}
}

const REASONS: Readonly<Record<CheckResult['reason'], string>> = {
  ok: 'valid',
  missing_header: 'there is no signature header',
  malformed_header: 'the signature header is malformed',
  signature_mismatch: 'the signature does not match',
  timestamp_outside_tolerance: 'the signature is right, but its time is outside the tolerance',
  event_id_mismatch: 'the event id is malformed, or the header has another',
  not_checked: 'it is not a whole request',
}

export type Verified = {readonly input: string; readonly reply?: string} & CheckResult

const PLAIN_COLUMNS = [
  'input',
  'valid',
  'reason',
  'event_id',
  'type',
  'timestamp',
  'age_seconds',
  'secret',
] as const
export const VERIFY_COLUMNS = [...PLAIN_COLUMNS, 'findings']

/** Returns a single result for one request, or a list for several. `leftOut` counts entries that are not webhooks. */
function verifyResult(items: readonly Verified[], isSeveral: boolean, leftOut = 0): Result<Verified> {
  const codes = ({findings}: Verified) => findings.map(({code}) => code)
  const columns = [...columnsOf<Verified>(PLAIN_COLUMNS), {name: 'findings', value: codes}]
  const id = (item: Verified) => item.event_id
  const skipped = skippedOf(leftOut)
  const replies = items.flatMap(({input, reply}) =>
    reply === undefined ? [] : [isSeveral ? `${input}:\n\n${reply}` : reply],
  )
  const text = replies.length === 0 ? {} : {text: replies.join('\n')}
  if (isSeveral) {
    const valid = items.filter(item => item.valid).length
    const notChecked = items.filter(item => item.checked === false).length
    const counts = {valid, invalid: items.length - valid - notChecked, ...notCheckedOf(notChecked)}
    const document = {...counts, ...skipped, results: items}
    return {
      document,
      items,
      columns,
      id,
      shown: ['input', 'valid', 'reason', 'event_id', 'findings'],
      ...text,
    }
  }
  const {input: _, ...only} = items[0] as Verified
  const {event_id, type, timestamp, age_seconds: age, secret} = only
  const signed =
    timestamp === null || age === null
      ? undefined
      : `${isoTime(timestamp)} (${Math.abs(age)} s ${age < 0 ? 'ahead' : 'ago'})`
  return {
    document: {...only, ...skipped},
    items,
    columns,
    id,
    shown: VERIFY_COLUMNS.slice(1),
    single: true,
    lead: verdictLines(only),
    facts: {event_id, type, signed, secret},
    ...text,
  }
}

function verdictLines({valid, reason, checked, findings: [first]}: CheckResult): NonNullable<Result['lead']> {
  // The reason is unknown if part of the capture is missing.
  const isUnread = first?.code === 'capture_unreadable' || checked === false
  const unread = isUnread ? first?.explanation : undefined
  const words = unread?.replace(/^./, letter => letter.toLowerCase()).replace(/\.$/, '') ?? REASONS[reason]
  const text = valid ? 'Valid' : `${checked === false ? 'Not checked' : 'Not valid'}: ${words}`
  return async (paint, columns) => {
    const isShort = text.length <= columns
    const lines = isShort ? [text] : (await import('../../terminal/text.js')).hang(text, columns, 2)
    return lines.map(line => paint(valid ? 'good' : 'bad', line))
  }
}

/** Returns `{skipped}` for the document, or an empty object if no entry was skipped. */
function skippedOf(leftOut: number): {skipped?: number} {
  return leftOut === 0 ? {} : {skipped: leftOut}
}

/** Returns `{not_checked}` for the document, or an empty object if every request was checked. */
function notCheckedOf(count: number): {not_checked?: number} {
  return count === 0 ? {} : {not_checked: count}
}

export type Printing = 'as they come' | 'in blocks' | 'one document' | 'all at the end'

export interface ResultPrinter {
  /** Prints results; `continues` means that part of the same list was printed before. */
  print(result: Result<Verified>, continues: boolean): Promise<void>
  /** Prints why a request is invalid, if the printed result does not say it. */
  readonly tell?: ((line: string) => void) | undefined
}

/** How many results are held in memory before they are printed as a table or written to a temporary file. */
const MOST_HELD = 1000

/**
 * Prints and counts results, with few of them in memory: a long document is first written to a file, and a long table is printed
 * in blocks.
 */
export async function printResults(
  results: AsyncIterable<readonly Verified[]>,
  inputs: number,
  printing: Printing,
  printer: ResultPrinter,
  leftOut: {readonly count: number},
): Promise<{read: number; invalid: number; notChecked: number}> {
  const count = {read: 0, invalid: 0, notChecked: 0}
  const aside = printing === 'one document' ? new ListAside() : undefined
  let held: Verified[] = []
  let continues = false
  const show = async (result: Result<Verified>) => {
    await printer.print(result, continues)
    for (const {input, findings} of held) {
      for (const {code, explanation, fix} of findings) {
        printer.tell?.(`${input}: ${code}: ${explanation}`)
        if (fix !== '') printer.tell?.(`  Fix: ${fix}`)
      }
    }
  }
  let enough = MOST_HELD
  // The first result waits for a second one, because a single result is printed in another form.
  if (printing === 'as they come') enough = 2
  if (printing === 'all at the end') enough = Number.POSITIVE_INFINITY
  try {
    for await (const verified of results) {
      for (const result of verified) {
        count.read += 1
        if (result.checked === false) count.notChecked += 1
        else if (!result.valid) count.invalid += 1
        held.push(result)
      }
      if (held.length < enough) continue
      if (aside) aside.add(held)
      else await show(verifyResult(held, true))
      held = []
      continues = true
      if (printing === 'as they come') enough = 1
    }
    if (aside && continues) {
      aside.add(held)
      const {read, invalid, notChecked} = count
      const valid = read - invalid - notChecked
      await writePieces(
        aside.document({valid, invalid, ...notCheckedOf(notChecked), ...skippedOf(leftOut.count)}),
      )
    } else if (held.length > 0) {
      const isSeveral = continues || inputs > 1 || count.read > 1
      await show(verifyResult(held, isSeveral, leftOut.count))
    }
    return count
  } finally {
    aside?.close()
  }
}
