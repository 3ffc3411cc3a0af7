/** The tools that look into webhooks and the course of things: `explain_signature`, `recent_events` and `explain`. */
import {z} from 'zod'
import {usage} from '../../../contract/failure.js'
import {readCaptures} from '../../../webhooks/captures/captures.js'
import {check} from '../../../webhooks/diagnose/check.js'
import {checkGiven, checkInteger, readSince} from '../../input/checks.js'
import {explain} from '../explain/explain.js'
import {describeFinding} from '../explain/finding-words.js'
import {explanationResult} from '../explain/print.js'
import {eventPage} from '../webhooks/events.js'
import {planVerify} from '../webhooks/verify.js'
import {type Verified, verifyResult} from '../webhooks/verify-results.js'
import {cursorArgument, nextCursor, reservationRefArgument, textOrNull, timeOrNull} from './schemas.js'
import {defineTool} from './tool.js'

/** A capture is part of a conversation, so it is short. */
const MOST_CAPTURE_LENGTH = 200_000
const MOST_REQUESTS = 20

const capturedText = (what: string) => z.string().max(MOST_CAPTURE_LENGTH).optional().describe(what)

export const explainSignature = defineTool({
  name: 'explain_signature',
  title: 'Explain a webhook signature',
  description:
    'Checks the signature of a webhook that was captured, and explains why it fails. Pass capture (a whole HTTP request, a HAR file, a curl command, a log line or a capture of bookctl), or body with signature. Works offline, with the signing secrets stored for the profile; secrets are never in the result.',
  annotations: {readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false},
  input: z.strictObject({
    capture: capturedText('The captured request as text, with headers and body'),
    body: capturedText('The raw body exactly as it was received; with signature, instead of capture'),
    signature: z.string().max(2000).optional().describe('The value of the signature header: t=…,v1=…'),
  }),
  output: {
    valid: z
      .union([z.boolean(), z.int()])
      .describe('Whether it is valid; for several requests, how many are'),
    reason: z.string().optional().describe('ok, or why it is not valid'),
    event_id: z.string().nullable().optional(),
    type: z.string().nullable().optional(),
    timestamp: z.number().nullable().optional().describe('When it was signed, Unix seconds'),
    age_seconds: z.number().nullable().optional(),
    secret: z.string().nullable().optional().describe('The name of the secret that matched'),
    findings: z
      .array(z.looseObject({code: z.string(), explanation: z.string(), fix: z.string()}))
      .optional()
      .describe('Causes, each proved or named as unexplained, with what to do'),
    results: z
      .array(z.looseObject({valid: z.boolean(), reason: z.string()}))
      .optional()
      .describe('Where there are several requests: one entry each'),
  },
  run: async (given, desk) => {
    const {text, signature} = signedText(given)
    const terms = await planVerify({signature, profile: desk.target.profile ?? undefined}, desk.state)
    const leftOut = {count: 0}
    const options = {signatureGiven: signature !== undefined, names: terms.names, leftOut}
    const results: Verified[] = []
    for await (const requests of readCaptures(inOnePiece(text), options)) {
      for (const request of requests) results.push({input: 'capture', ...(await check(request, terms))})
      if (results.length > MOST_REQUESTS)
        throw usage(
          'too_many_requests',
          `capture: more than ${MOST_REQUESTS} requests`,
          'pass fewer at a time',
        )
    }
    if (results.length === 0) {
      const hint = 'pass the whole request, with its headers'
      throw usage('nothing_to_verify', 'capture: no webhook request found in it', hint)
    }
    const {document} = verifyResult(results, results.length > 1, leftOut.count)
    return {document, ownWords: ['reason', 'code']}
  },
})

interface Captured {
  readonly capture?: string | undefined
  readonly body?: string | undefined
  readonly signature?: string | undefined
}

function signedText({capture, body, signature}: Captured) {
  if (capture !== undefined && body === undefined && signature === undefined)
    return {text: capture, signature}
  if (capture === undefined && body !== undefined && signature !== undefined) return {text: body, signature}
  const hint = 'the body must be the raw text as it was received, not parsed and written again'
  throw usage('invalid_input', 'pass either capture alone, or body with signature', hint)
}

async function* inOnePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const MOST_EVENTS = 50
const USUAL_EVENTS = 20

export const recentEvents = defineTool({
  name: 'recent_events',
  title: 'List received webhook events',
  description:
    'Lists the webhook events that this machine or its shared store received, newest first: reservation.confirmed, voucher.ready and others. It lists what arrived, not what the service sent.',
  annotations: {readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false},
  input: z.strictObject({
    reservation_ref: reservationRefArgument.optional(),
    type: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe('Only events of this type, for example voucher.ready'),
    since: z.string().optional().describe('Received since this time, or in the last 30s, 10m, 2h or 1d'),
    limit: z.int().min(1).max(MOST_EVENTS).optional().describe(`Events of a page (default ${USUAL_EVENTS})`),
    cursor: cursorArgument,
  }),
  output: {
    events: z.array(
      z.looseObject({
        event_id: textOrNull('Identifier of the event'),
        event_type: textOrNull('Such as reservation.confirmed'),
        reservation_ref: textOrNull('The reservation it is about'),
        status: textOrNull('State of the reservation in the event'),
        received_at: timeOrNull('When it came'),
      }),
    ),
    next_cursor: nextCursor,
  },
  run: async ({reservation_ref, type, since, limit = USUAL_EVENTS, cursor}, desk) => {
    const before =
      cursor === undefined ? undefined : checkInteger('cursor', cursor, 1, Number.MAX_SAFE_INTEGER)
    const filter = {
      reservation: reservation_ref,
      types: type === undefined ? undefined : [type],
      since: since === undefined ? undefined : readSince('since', since),
    }
    const {rows, next} = await eventPage(await desk.state.events(), filter, before, limit)
    const events = rows.map(({event_id, event_type, reservation_ref, status, received_at, forwards}) => ({
      event_id,
      event_type,
      reservation_ref,
      status,
      received_at,
      forwards: forwards.map(({state, status, attempts}) => ({state, status, attempts})),
    }))
    return {
      document: {events},
      added: {next_cursor: rows.length < limit || next === undefined ? null : String(next)},
    }
  },
})

/** The latest moments of a longer course are shown. */
const MOST_MOMENTS = 60
const MOST_FINDINGS = 30

export const explainTool = defineTool({
  name: 'explain',
  title: 'Explain what happened',
  description:
    'Explains what happened to a reservation, a client reference, an event, an offer or a request: one timeline from all that this machine knows and from the service, and findings with the next step of each. Use it when something went wrong or its outcome is unknown.',
  input: z.strictObject({
    what: z
      .string()
      .min(1)
      .max(512)
      .describe('A reservation_ref, client_reference_id, event_id (evt_…), offer_id (off_…) or request id'),
  }),
  output: {
    subject: z.looseObject({kind: z.string(), id: z.string()}),
    timeline: z.array(z.looseObject({at: z.string(), source: z.string(), what: z.string()})),
    findings: z
      .array(z.looseObject({code: z.string(), severity: z.string(), text: z.string(), advice: z.string()}))
      .describe('What stands out: problems and notices; empty when nothing does'),
    not_judged: z.array(z.string()),
    looked_in: z.array(
      z.looseObject({source: z.string(), where: z.string(), problem: z.string().nullable()}),
    ),
  },
  run: async ({what}, desk) => {
    const closing: (() => unknown)[] = []
    try {
      const {facts, findings, unjudged} = await explain(checkGiven('what', what), {
        state: desk.state,
        target: desk.target,
        connect: desk.connect,
        options: await desk.connectOptions(),
        whenStopped: close => closing.push(close),
      })
      const moments = facts.moments.slice(-MOST_MOMENTS)
      const shown = explanationResult(
        {...facts, moments},
        findings.slice(0, MOST_FINDINGS).map(describeFinding),
        unjudged,
      )
      return {document: shown.document, ownWords: ['kind', 'source', 'code', 'severity']}
    } finally {
      for (const close of closing) await close()
    }
  },
})
