/** The flags of `webhooks listen`, and the plan they make; everything typed is checked before anything is done. */
import * as Flags from '@oclif/core/flags'
import {usage} from '../../contract/failure.js'
import {parseForwardTarget} from '../../webhooks/forward-target.js'
import {checkInteger, invalid} from '../input/checks.js'
import {readDuration} from '../input/duration.js'
import {dryRunFlag} from '../request/dry-run.js'
import {missing} from '../usage/mistakes.js'
import {webhookSecretFlags} from './secrets.js'
import {checkEvents} from './subscriptions.js'

export const listenFlags = {
  host: Flags.string({helpValue: 'HOST', default: '127.0.0.1', summary: 'address to listen on'}),
  port: Flags.string({helpValue: 'PORT', default: '0', summary: 'port to listen on; 0 takes a free one'}),
  path: Flags.string({
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
  cert: Flags.string({helpValue: 'FILE', summary: 'https with this certificate (PEM, with its chain)'}),
  key: Flags.string({helpValue: 'FILE', summary: 'private key of --cert (PEM)'}),
  'forward-to': Flags.string({
    helpValue: 'URL',
    multiple: true,
    multipleNonGreedy: true,
    summary: 'hand each event on to this address, as it came; may be given several times',
  }),
  event: Flags.string({
    helpValue: 'TYPE',
    multiple: true,
    multipleNonGreedy: true,
    summary: 'print, forward and count these types only; all are kept',
  }),
  'exit-after': Flags.string({helpValue: 'N', summary: 'end with 0 when so many expected events came'}),
  within: Flags.string({helpValue: 'SECONDS', summary: 'end with 8 when they did not come in this time'}),
  expect: Flags.string({
    helpValue: 'JMESPATH',
    summary: 'count only events of which this holds, for example "data.status == \'CONFIRMED\'"',
  }),
  subscribe: Flags.boolean({summary: 'create a subscription for --public-url, and test it before "ready"'}),
  'public-url': Flags.string({
    helpValue: 'URL',
    summary: 'https address by which the service reaches this receiver',
  }),
  ...dryRunFlag,
  capture: Flags.string({
    helpValue: 'FILE',
    summary: 'append every request to this file, one JSON line each',
  }),
}

export interface ListenFlags {
  readonly host: string
  readonly port: string
  readonly path?: string | undefined
  readonly 'forward-to'?: readonly string[] | undefined
  readonly event?: readonly string[] | undefined
  readonly 'exit-after'?: string | undefined
  readonly within?: string | undefined
  readonly expect?: string | undefined
  readonly subscribe: boolean
  readonly 'public-url'?: string | undefined
}

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

/** Throws usage. */
export function planListening(flags: ListenFlags): ListenPlan {
  const publicUrl = checkPublicUrl(flags)
  return {
    host: flags.host,
    port: checkInteger('--port', flags.port, 0, 65_535),
    path: checkPath(flags.path ?? (publicUrl ? new URL(publicUrl).pathname : '/')),
    targets: [...new Set((flags['forward-to'] ?? []).map(text => checkTarget('--forward-to', text)))],
    types: flags.event ? new Set(checkEvents(flags.event)) : undefined,
    wait: planWait(flags),
    publicUrl,
  }
}

function planWait(flags: ListenFlags): ListenPlan['wait'] {
  const {'exit-after': count, within, expect} = flags
  if (count === undefined && within === undefined && expect === undefined) return undefined
  return {
    count: checkInteger('--exit-after', count ?? '1', 1, 1_000_000_000),
    seconds: within === undefined ? undefined : readDuration('--within', within),
    ...(expect === undefined ? {} : {expect}),
  }
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

function checkPath(path: string): string {
  if (/^\/[\x21-\x7e]*$/.test(path) && !/[?#]/.test(path)) return path
  throw invalid(
    '--path',
    'must start with / and hold no blank, query or fragment; other letters are %-encoded',
    path,
  )
}

function checkPublicUrl(flags: ListenFlags): string | undefined {
  const {subscribe, 'public-url': text} = flags
  if (text === undefined) {
    if (subscribe) throw missing(['--public-url'])
    return undefined
  }
  if (!subscribe)
    throw usage('missing_flag', 'missing: --subscribe; --public-url is for the subscription it creates')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === '') return text
  throw invalid(
    '--public-url',
    'must be an https URL without user name and fragment (§6: plain http is not accepted)',
  )
}
