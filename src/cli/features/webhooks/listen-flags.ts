/** The flags of `webhooks listen`, and the plan they make. */
import * as Flags from '@oclif/core/flags'
import type * as Interfaces from '@oclif/core/interfaces'
import {parseForwardTarget} from '../../../webhooks/forward/target.js'
import {invalid} from '../../input/checks.js'
import {checkedFlag, durationFlag, portFlag} from '../../input/flags.js'
import {dryRunFlag} from '../../session/dry-run.js'
import {checkExpression} from '../../terminal/output.js'
import {webhookSecretFlags} from './secrets.js'
import {eventFlag, SEVERAL_TYPES} from './subscriptions.js'

export const listenFlags = {
  host: Flags.string({helpValue: 'HOST', default: '127.0.0.1', summary: 'address to listen on'}),
  port: portFlag,
  path: checkedFlag(checkPath)({
    helpValue: 'PATH',
    summary: 'the one path that takes events',
    defaultHelp: async () => "that of --public-url, else '/'",
  }),
  ...webhookSecretFlags,
  'print-secret': Flags.boolean({summary: 'print the signing secret it would check with, and end'}),
  tls: Flags.boolean({
    summary:
      'https with a certificate of our own; its authority is listen-ca.pem in the configuration directory',
  }),
  cert: Flags.string({
    helpValue: 'FILE',
    dependsOn: ['key'],
    summary: 'https with this certificate (PEM, with its chain)',
  }),
  key: Flags.string({helpValue: 'FILE', dependsOn: ['cert'], summary: 'private key of --cert (PEM)'}),
  'forward-to': checkedFlag(checkTarget)({
    helpValue: 'URL',
    multiple: true,
    summary: 'hand each event on to this address, as it came; may be given several times',
  }),
  event: eventFlag({...SEVERAL_TYPES, summary: 'print, forward and count these types only; all are kept'}),
  'exit-after': Flags.integer({
    helpValue: 'N',
    min: 1,
    max: 1_000_000_000,
    summary: 'end with 0 when so many expected events came',
  }),
  within: durationFlag({helpValue: 'SECONDS', summary: 'end with 8 when they did not come in this time'}),
  expect: checkedFlag(checkExpression)({
    helpValue: 'JMESPATH',
    summary: 'count only events of which this holds, for example "data.status == \'CONFIRMED\'"',
  }),
  subscribe: Flags.boolean({
    dependsOn: ['public-url'],
    summary: 'create a subscription for --public-url, and test it before "ready"',
  }),
  'public-url': checkedFlag(checkPublicUrl)({
    helpValue: 'URL',
    dependsOn: ['subscribe'],
    summary: 'https address by which the service reaches this receiver',
  }),
  ...dryRunFlag,
  capture: Flags.string({
    helpValue: 'FILE',
    summary: 'append every request to this file, one JSON line each',
  }),
}

export type ListenFlags = Interfaces.InferredFlags<typeof listenFlags>

export interface ListenPlan {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly targets: readonly string[]
  /** Types that are shown, forwarded and counted; undefined: all. */
  readonly types: ReadonlySet<string> | undefined
  readonly wait:
    | {readonly count: number; readonly seconds: number | undefined; readonly expect?: string}
    | undefined
  /** Where the service reaches us; set when a subscription is wanted. */
  readonly publicUrl: string | undefined
}

export function planListening(flags: ListenFlags): ListenPlan {
  const {'public-url': publicUrl} = flags
  return {
    host: flags.host,
    port: flags.port,
    path: flags.path ?? (publicUrl ? new URL(publicUrl).pathname : '/'),
    targets: [...new Set(flags['forward-to'])],
    types: flags.event && new Set(flags.event),
    wait: planWait(flags),
    publicUrl,
  }
}

function planWait(flags: ListenFlags): ListenPlan['wait'] {
  const {'exit-after': count, within: seconds, expect} = flags
  if (count === undefined && seconds === undefined && expect === undefined) return undefined
  return {count: count ?? 1, seconds, ...(expect === undefined ? {} : {expect})}
}

/** An address events may be handed to. Throws usage naming `flag`. */
export function checkTarget(flag: string, text: string): string {
  const target = parseForwardTarget(text)
  if (target !== undefined) return target
  throw invalid(
    flag,
    'must be an https URL, or an http URL of this machine (127.0.0.1, localhost), without user name',
  )
}

function checkPath(field: string, path: string): string {
  if (/^\/[\x21-\x7e]*$/.test(path) && !/[?#]/.test(path)) return path
  throw invalid(
    field,
    'must start with / and hold no blank, query or fragment; other letters are %-encoded',
    path,
  )
}

function checkPublicUrl(field: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === '') return text
  throw invalid(field, 'must be an https URL without user name and fragment (§6: plain http is not accepted)')
}
