/** `webhooks probe`. */
import {randomBytes} from 'node:crypto'
import {Failure, usage} from '../../../contract/failure.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import type {State} from '../../../state/state.js'
import {createHandover, parseForwardTarget} from '../../../webhooks/forward/request.js'
import {type ProbeRow, probe} from '../../../webhooks/probe/probe.js'
import {systemClock} from '../../session/clock.js'
import {listResult, type Result} from '../../terminal/result.js'
import {trustedFor} from './listen-tls.js'
import {
  resolveWebhookSecrets,
  signingSecrets,
  type WebhookSecretFlags,
  webhookHeaderNames,
} from './secrets.js'

export const PROBE_COLUMNS = ['case', 'sent', 'expected', 'answered', 'ms', 'ok', 'advice'] as const

export interface ProbeOptions {
  readonly state: State
  readonly env: NodeJS.ProcessEnv
  readonly caFile: string | undefined
  /** For one request (default twice the 3 s of §6.4, so that a late answer is measured). */
  readonly timeoutSeconds: number | undefined
  readonly onRow: (row: ProbeRow) => void
}

/** The address of a receiver, as typed. Throws usage unless it may be probed. */
export function checkReceiverUrl(field: string, text: string): string {
  if (parseForwardTarget(text) !== undefined) return text
  const rule = 'must be https, or http on this machine, without user name and password'
  throw usage('invalid_url', `${field}: ${rule}`)
}

/** Probes the receiver at `url`, which `checkReceiverUrl` accepted. Throws Failure when it never answers. */
export async function probeReceiver(
  url: string,
  flags: WebhookSecretFlags,
  {state, env, caFile, timeoutSeconds = WEBHOOK_RESPONSE_SECONDS * 2, onRow}: ProbeOptions,
): Promise<ProbeRow[]> {
  const target = parseForwardTarget(url) ?? url
  const [named] = signingSecrets(await resolveWebhookSecrets(flags, env, state))
  const handover = createHandover({
    trusted: await trustedFor(target, caFile, env, state.directory),
    timeoutMilliseconds: timeoutSeconds * 1000,
  })
  const {now: clock, sleep} = systemClock
  const names = webhookHeaderNames(flags, state)
  const probed = {secret: named?.secret ?? '', run: randomBytes(6).toString('hex')}
  try {
    const rows = await probe({handover, url: target, names, ...probed, clock, sleep, onRow})
    if (rows.some(({answered}) => typeof answered === 'number')) return rows
    throw new Failure('unreachable', 'the receiver did not answer', {
      code: 'receiver_unreachable',
      reason: String(rows[0]?.answered),
      hint: 'check that it runs, and that its certificate is trusted (--ca-file)',
    })
  } finally {
    handover.close()
  }
}

export function probeResult(url: string, cases: readonly ProbeRow[]): Result<ProbeRow> {
  const passed = cases.filter(({ok}) => ok).length
  const document = {url, passed, failed: cases.length - passed, cases}
  return {...listResult(document, cases, PROBE_COLUMNS), shown: PROBE_COLUMNS.slice(0, -1)}
}
