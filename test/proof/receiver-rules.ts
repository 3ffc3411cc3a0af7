/**
 * What a command that sends events must make of a fault of the receiver. The status is the answer (§6.4), so it counts as
 * soon as the head is whole; what comes of the body is of no use to anybody.
 */
import type {Fault} from './fault.js'

/** Faults of an answer whose head came whole before it went wrong, so that its status is known. */
const AFTER_THE_HEAD =
  /^(reset-in-body|reset-at-last-byte|fin-before-body|fin-in-body|fin-at-last-byte|fin-in-chunk|fin-before-last-chunk|stall-in-body|stall-at-last-byte|trickle-in-body|tls-fin-in-body|length-too-large|bad-chunk|chunk-beyond-numbers|endless-body|endless-trailers|endless-chunk-extension|gzip-bomb|encoding-.*|length-too-long)$/

/** The status the sender sees, where the receiver itself answers `own`; null when it sees none. */
export function statusSeen({name, conclusion}: Fault, own: number): number | null {
  switch (conclusion.kind) {
    case 'answered':
      return own
    case 'status':
    case 'redirect':
      return conclusion.status
    case 'shape':
      return 200
    case 'page':
      return conclusion.spoilt ? own : 200
    default:
      if (name === 'switching-protocols') return 101
      // Events are sent by node:http, which reads past interim answers.
      if (name.startsWith('continue-')) return own
      return AFTER_THE_HEAD.test(name) ? own : null
  }
}

/** What `error` says where there is no status. */
export function errorNamed({conclusion, connection, identity}: Fault, timesOut: boolean): RegExp {
  if (timesOut) return /^timeout$/
  if (connection === 'refused') return /^ECONNREFUSED$/
  if (conclusion.kind === 'unreached' && identity !== undefined)
    return /CERT|SELF_SIGNED|UNABLE|EPROTO|ERR_SSL|ERR_TLS|ECONNRESET|EPIPE/
  if (conclusion.kind === 'unreadable') return /^HPE_/
  return /ECONNRESET|HPE_|EPIPE|socket hang up/
}

/** The exit of `webhooks events replay` (its own description). */
export function replayExit(status: number | null): number {
  if (status === null) return 7
  if (status >= 200 && status < 300) return 0
  if (status === 401 || status === 403) return 4
  return status >= 400 && status < 500 ? 5 : 6
}

/** The exit of `webhooks probe`: what answers everything alike is no receiver. */
export function probeExit(fault: Fault): number {
  if (statusSeen(fault, 200) === null) return 7
  return statusSeen(fault, 401) === 401 && statusSeen(fault, 200) === 200 ? 0 : 5
}
