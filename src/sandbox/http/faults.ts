/** Faults that were injected, and what each does. They are kept in memory. */
import {z} from 'zod'
import {ERROR_CODES, type ErrorCode} from '../../contract/error-codes.js'
import {isOperationName, OPERATIONS, SANDBOX_OPERATIONS} from '../../contract/operations.js'
import {ConnectionDrop, Refusal} from '../base/answers.js'
import FAULT_KINDS from './fault-kinds.json' with {type: 'json'}

/** The kinds of faults: what each does, which fields it needs, and which it allows besides `operation` and `times`. */
export {FAULT_KINDS}

export type FaultKind = keyof typeof FAULT_KINDS
type Kind = {readonly needs: readonly string[]; readonly takes: readonly string[]}
export const FAULT_KIND_NAMES = Object.keys(FAULT_KINDS) as [FaultKind, ...FaultKind[]]

/**
 * Returns whether faults of this kind need the field `name` or allow it, or undefined if they do not have it. All kinds
 * allow `operation` and `times`.
 */
export function faultField(kind: FaultKind, name: string): 'needed' | 'optional' | undefined {
  const {needs, takes}: Kind = Object.hasOwn(FAULT_KINDS, kind) ? FAULT_KINDS[kind] : {needs: [], takes: []}
  if (needs.includes(name)) return 'needed'
  return ['operation', 'kind', 'times', ...takes].includes(name) ? 'optional' : undefined
}

/** The pages that faults can hit, in addition to the operations. `*` stands for all operations and pages. */
const PAGES = ['voucher.download', 'payment.page', 'payment.submit']
export const FAULT_OPERATIONS = ['*', ...SANDBOX_OPERATIONS, ...PAGES]

export const FAULT_NUMBERS = {
  times: {min: 1, max: 1_000_000},
  status: {min: 400, max: 599},
  retry_after: {min: 0, max: 86_400},
  latency_ms: {min: 0, max: 600_000},
} as const

const number = (name: keyof typeof FAULT_NUMBERS) =>
  z.int().min(FAULT_NUMBERS[name].min).max(FAULT_NUMBERS[name].max)

export const faultRequest = z
  .strictObject({
    operation: z.enum(FAULT_OPERATIONS),
    kind: z.enum(FAULT_KIND_NAMES),
    times: number('times').default(1),
    status: number('status').optional(),
    retry_after: number('retry_after').optional(),
    /** The error code in the body (default: the usual one for `status`). */
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).optional(),
    latency_ms: number('latency_ms').optional(),
    /** The client whose requests the fault hits (default: any client). */
    client_id: z.string().optional(),
  })
  .superRefine((fault, {addIssue}) => {
    for (const field of FAULT_KINDS[fault.kind].needs)
      if (fault[field as keyof typeof fault] === undefined)
        addIssue({code: 'custom', path: [field], message: 'is required for this kind'})
  })

type Fault = z.infer<typeof faultRequest>

/** `left` is the number of requests that the fault will still hit. */
export type ActiveFault = Fault & {left: number}

/**
 * Returns the fault that hits a request of the client, if any, and counts one use of it. `clientId` is null if the
 * client is unknown.
 */
export function takeFault(faults: ActiveFault[], operation: string, clientId: string | null) {
  const found = faults.find(fault => canHit(fault, operation, clientId))
  if (found && --found.left === 0) faults.splice(faults.indexOf(found), 1)
  return found
}

function canHit({kind, operation: wanted, client_id}: Fault, operation: string, clientId: string | null) {
  if (wanted !== operation && wanted !== '*') return false
  if (client_id !== undefined && client_id !== clientId) return false
  if (kind === 'expire-token') return isOperationName(operation) && OPERATIONS[operation].scope !== null
  return operation === 'reservations.create' || (kind !== 'lose-offer' && kind !== 'slow-voucher')
}

/** Undoes `takeFault`, for a request that was refused before the fault took effect. */
export function giveBackFault(faults: ActiveFault[], taken: ActiveFault): void {
  taken.left += 1
  if (!faults.includes(taken)) faults.unshift(taken)
}

/**
 * Returns or throws what the client gets instead of the operation's answer. Returns undefined if the operation should
 * run.
 */
export function faultInstead(fault: Fault | undefined): Response | undefined {
  if (fault?.kind === 'drop-before') throw new ConnectionDrop()
  if (fault?.kind === 'status') throw refusalOf(fault)
  if (fault?.kind !== 'html') return undefined
  const page = '<!doctype html><title>Bad gateway</title><h1>502 Bad gateway</h1><p>injected fault</p>'
  const headers = {'Content-Type': 'text/html; charset=utf-8'}
  return new Response(page, {status: fault.status ?? 502, headers})
}

/** Returns a refusal with the status, code and Retry-After of the fault. */
export function refusalOf({status = 500, code: given, retry_after}: Fault): Refusal {
  const usual = (Object.keys(ERROR_CODES) as ErrorCode[]).find(code => ERROR_CODES[code] === status)
  const preferred: Partial<Record<number, ErrorCode>> = {400: 'invalid_request', 401: 'token_invalid'}
  const code = given ?? preferred[status] ?? usual ?? (status < 500 ? 'invalid_request' : 'internal_error')
  const headers = retry_after === undefined ? {} : {'Retry-After': String(retry_after)}
  return new Refusal(code, 'injected fault', {}, headers, status)
}

/** Makes the server announce the full length, send half of the bytes, and then cut the connection. */
export async function truncate(response: Response): Promise<never> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const half = bytes.subarray(0, Math.floor(bytes.length / 2))
  const headers = new Headers(response.headers)
  headers.set('Content-Length', String(bytes.length))
  throw new ConnectionDrop(new Response(half, {status: response.status, headers}))
}
