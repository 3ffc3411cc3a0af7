/** What all routes share: the state a request carries, the log, and the refusal of a wrong method. */
import type {Context, Hono} from 'hono'
import {isoTime} from '../../contract/dates.js'
import {Refusal} from '../base/refusal.js'
import type {Service} from '../base/service.js'
import {type LoggedRequest, redactBody, redactHeaders, redactPath} from './request-log.js'

/** Path of the base URL (§9). */
export const API_PATH = '/partner-api/v1'

export interface RequestState {
  Variables: {
    requestId: string
    /** `http://127.0.0.1:PORT`, as the request was sent to it. */
    origin: string
    /** The whole body, at most a mebibyte. */
    body: Uint8Array
    /** Whether the answer is to be cut in the middle, be it a refusal. */
    isTruncated?: boolean
  }
}

export type App = Hono<RequestState>

/** Middleware that puts the request into the log, and its status when it is answered. */
export function logRequests(service: Service, operation: string | null) {
  return async (context: Context<RequestState>, next: () => Promise<void>) => {
    const {raw} = context.req
    const entry: LoggedRequest = {
      at: isoTime(service.clock.now()),
      request_id: context.var.requestId,
      operation,
      method: raw.method,
      path: redactPath(new URL(raw.url)),
      headers: redactHeaders(raw.headers),
      body: redactBody(context.var.body),
      status: null,
    }
    service.requests.add(entry)
    await next()
    entry.status = context.res.status
  }
}

/** 405 with the methods that would have been right. */
export function wrongMethod(methods: readonly string[]): Refusal {
  const allowed = [...new Set(methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
  return new Refusal('method_not_allowed', `this path takes ${allowed.join(', ')}`, {
    headers: {Allow: allowed.join(', ')},
  })
}
