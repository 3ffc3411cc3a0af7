/** Checks the requests in the inputs of `webhooks verify`, in order. */
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {readCaptures} from '../../../webhooks/captures/captures.js'
import type {CapturedRequest} from '../../../webhooks/captures/request.js'
import {check, usualLineCheck} from '../../../webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../webhooks/diagnose/finding.js'
import {headerOf} from '../../../webhooks/signature/headers.js'
import {openInput, readingFailed, sizeOfFile} from './input-bytes.js'
import type {RenderedResults, Verified} from './verify-results.js'
import type {VerifyThreads} from './verify-threads.js'

export interface VerifyOptions {
  /** The body of the one request whose headers are in the input. */
  readonly body?: Uint8Array | undefined
  /** Whether each result has a reply. */
  readonly replies: boolean
  /** Threads that check the captures of lines among the files. */
  readonly threads?: VerifyThreads | undefined
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
 * Yields the results in order, in groups that were read together or as threads rendered them. `leftOut` counts entries that are
 * not webhooks. Throws a usage error if an input cannot be read, or if there are several requests for one body.
 */
export async function* verifyInputs(
  inputs: readonly string[],
  terms: CheckTerms,
  leftOut: {count: number},
  warn: (text: string) => void,
  {body, replies, threads}: VerifyOptions,
): AsyncGenerator<readonly Verified[] | RenderedResults> {
  const replyText = replies ? (await import('./verify-reply.js')).replyText : undefined
  let read = 0
  const options = {signatureGiven: terms.signature !== undefined, names: terms.names, leftOut}
  for (const input of inputs) {
    const before = leftOut.count
    const name = input === '-' ? 'standard input' : sanitizeLine(input, 200)
    const shortcut = body === undefined && !replies ? usualLineCheck(terms, name) : undefined
    // Lines that come slowly, as through a pipe, must not wait until a slice is full.
    const readLines =
      threads && sizeOfFile(input) !== undefined
        ? (pieces: AsyncIterable<Uint8Array>) => threads.readLines(pieces, name, leftOut, shortcut)
        : undefined
    try {
      for await (const requests of readCaptures(openInput(input), {...options, shortcut, readLines})) {
        if ('text' in requests) {
          read += requests.count.read
          yield requests
          continue
        }
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
