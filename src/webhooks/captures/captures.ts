/**
 * Reads captured webhooks in their usual forms: a raw body, a whole HTTP request, a HAR file, a capture of `webhooks listen`
 * (NDJSON), the JSON of a gateway or a log, a command, a trace, or a text that was pasted. The form is detected from the content.
 * Bodies are streamed and captures are read record by record, but the other forms are read into memory.
 */
import {sizeText} from '../../contract/limits.js'
import {headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {parseSignature} from '../signature/signature.js'
import {ByteSource} from './byte-source.js'
import {FOREIGN_FORM, NO_REQUEST, SIGNATURE_MASKED, tooLong} from './gaps.js'
import {readHar} from './har.js'
import {httpHead, readHttpRequest} from './http.js'
import {beginsJson} from './json-text.js'
import {holdsSignature} from './lines.js'
import {beginsWithRecord, type LineShortcut, readRecords, requestsOfDocument} from './records.js'
import type {CapturedRequest} from './request.js'
import {mayHoldSeveral} from './several.js'

type Group<T> = readonly (CapturedRequest | T)[]

export interface ReadOptions<T = never, G = never> {
  /** Whether --signature is given. Then the file is a raw body or an HTTP request. */
  readonly signatureGiven: boolean
  readonly names: WebhookHeaderNames
  /** Counts requests and records that are skipped because they are not webhooks. The count grows while the file is read. */
  readonly leftOut: {count: number}
  /** The fast path for lines of a capture. */
  readonly shortcut?: LineShortcut<T> | undefined
  /** Reads the lines of a capture (default: `readRecords`). Its groups are yielded as they are. */
  readonly readLines?: ((pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Group<T> | G>) | undefined
}

/** How much of a file is read to detect its form. The first record of a capture fits. */
const HEAD_BYTES = 16 * 1024 * 1024
/** Texts with several requests are not longer. */
const SEVERAL_BYTES = 1024 * 1024
const FIRST_HEAD_BYTES = 64 * 1024

/**
 * Yields the requests in `bytes`, in order. They come in groups that were read together, because yielding a million lines one
 * by one would take as long as checking them. Only throws errors of reading `bytes`.
 */
export async function* readCaptures<T = never, G = never>(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions<T, G>,
): AsyncGenerator<Group<T> | G> {
  const {leftOut, shortcut, names, signatureGiven} = options
  const {readLines = (pieces: AsyncIterable<Uint8Array>) => readRecords(pieces, leftOut, shortcut)} = options
  const source = new ByteSource(bytes)
  const start = await source.peek(FIRST_HEAD_BYTES)
  // An empty file is an empty capture, or with --signature an empty body.
  if (start.length === 0 && !signatureGiven) return

  const head = httpHead(start, names)
  if (signatureGiven) return yield [head ? readHttpRequest(source, head) : {body: source.rest()}]
  if (head?.isClean) {
    const several = await readSeveral(source, names, leftOut)
    return yield (several ?? [readHttpRequest(source, head)]).map(one => withMask(one, names))
  }

  const text = start.toString('latin1').replace(/^\xef\xbb\xbf/, '')
  if (/^\s*\{\s*"log"\s*:\s*\{/.test(text)) {
    for await (const group of readHar(source.rest(), names, leftOut))
      yield group.map(one => withMask(one, names))
    return
  }

  if (beginsWithRecord(start)) return yield* readLines(source.rest())
  // A cheap check first, so that other files are not read into memory.
  if (beginsJson(text) && /"body_base64"|"type"\s*:\s*"(?:ready|event)"/.test(text)) {
    const first = await source.peek(HEAD_BYTES)
    if (beginsWithRecord(first)) return yield* readLines(source.rest())
    const requests = source.isShorterThan(HEAD_BYTES) ? requestsOfDocument(first) : undefined
    if (requests) return yield requests
  }

  if (head || mayHoldRequest(text, names)) {
    const requests = await readWhole(source, names, leftOut)
    // A text that begins with a request line is a request of which only the end was cut off.
    const isWhole = requests?.some(({gap}) => gap === undefined)
    const found = head?.hasRequestLine && !isWhole ? [readHttpRequest(source, head)] : requests
    if (found) return yield found.map(one => withMask(one, names))
  }

  if (holdsSignature(text, names)) {
    const gap = source.isShorterThan(HEAD_BYTES) ? FOREIGN_FORM : tooLong(sizeText(HEAD_BYTES))
    return yield [{body: source.rest(), gap}]
  }
  // JSON may be the body of an event that was not signed.
  yield [beginsJson(text) ? {body: source.rest()} : {body: source.rest(), gap: NO_REQUEST}]
}

/** Reads the file as a text. Returns undefined if it is too long, or if there is no request in it. */
async function readWhole(
  source: ByteSource,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): Promise<CapturedRequest[] | undefined> {
  const whole = await source.peek(HEAD_BYTES)
  const {readText} = await import('./texts.js')
  return source.isShorterThan(HEAD_BYTES) ? readText(whole, names, leftOut) : undefined
}

/** Returns the requests of a text that begins with one and has several, or undefined. Longer bodies are not searched. */
async function readSeveral(
  source: ByteSource,
  names: WebhookHeaderNames,
  leftOut: {count: number},
): Promise<CapturedRequest[] | undefined> {
  const start = await source.peek(SEVERAL_BYTES)
  if (!source.isShorterThan(SEVERAL_BYTES) || !mayHoldSeveral(start.toString('latin1'), names))
    return undefined
  const requests = await readWhole(source, names, leftOut)
  return requests !== undefined && requests.length > 1 ? requests : undefined
}

/** Matches what logs write in place of a secret. */
const MASK =
  /\*{2,}|\u2022{2,}|\xe2\x80\xa6|\u2026|\.{3}|x{6,}|<[a-z_ ]+>|\[?(?:redacted|masked|filtered|hidden|removed)\b/i

/** Returns `request` with the gap that its signature is masked, if it is. */
function withMask(request: CapturedRequest, names: WebhookHeaderNames): CapturedRequest {
  const values = [headerOf(request.headers ?? {}, names.signature) ?? []].flat()
  const isMasked = values.some(value => parseSignature(value) === undefined && MASK.test(value))
  return isMasked ? {...request, gap: SIGNATURE_MASKED} : request
}

/** A cheap check, so that a long body is not read into memory. UTF-16 has a NUL beside each letter. */
function mayHoldRequest(text: string, names: WebhookHeaderNames): boolean {
  const plain = text.replaceAll('\0', '')
  const forms =
    /(?:^|[^\w.-])curl(?:\.exe)?\s|\b(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s|^\s*(?:[<>|*] )*HTTP\/\d|^\s*[<*] |"\w*headers"|=> Send|^Content-Transfer-Encoding:/im
  return holdsSignature(plain, names) || forms.test(plain)
}
