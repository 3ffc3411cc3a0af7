/** The flags of `webhooks listen`, the plan made from them, and its description for --dry-run. */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import * as Flags from '@oclif/core/flags'
import type * as Interfaces from '@oclif/core/interfaces'
import {EVENT_TYPE_NAMES} from '../../../contract/events.js'
import {parseUrl} from '../../../contract/foreign-text.js'
import {EVENTS_NAME, LISTEN_CA_NAME, TOKENS_NAME} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {addressesFor, joinRoutes} from '../../../webhooks/forward/routes.js'
import {invalid} from '../../input/checks.js'
import {adminFlag, checkedFlag, durationFlag, portFlag} from '../../input/flags.js'
import {type DryChange, describeRequest, dryRun, dryRunFlag} from '../../session/dry-run.js'
import type {Target} from '../../session/resolve.js'
import {EXITS} from '../../shell/exit-codes.js'
import {checkExpression} from '../../terminal/query.js'
import {LOG_FORMATS} from './listen-log.js'
import {webhookSecretFlags} from './secrets.js'
import {eventFlag, SEVERAL_TYPES} from './subscriptions.js'
import {readRoute, targetText} from './targets.js'

export const USUAL_PORT = 4020

export const listenFlags = {
  host: Flags.string({helpValue: 'HOST', default: '127.0.0.1', summary: 'address to listen on'}),
  port: portFlag(`${USUAL_PORT}; another one if that is in use`),
  path: checkedFlag((field, path) => {
    if (/^\/[\x21-\x7e]*$/.test(path) && !/[?#]/.test(path)) return path
    const rule = 'must start with / and have no space, query or fragment; encode other characters with %'
    throw invalid(field, rule, path)
  })({
    helpValue: 'PATH',
    summary: 'the only path that accepts events',
    defaultHelp: async () => "that of --public-url, else '/'",
  }),
  ...webhookSecretFlags,
  'print-secret': Flags.boolean({summary: 'print the signing secret it would check with, and exit'}),
  tls: Flags.boolean({
    summary:
      'https with a self-made certificate; its authority is listen-ca.pem in the configuration directory',
  }),
  cert: Flags.string({
    helpValue: 'FILE',
    dependsOn: ['key'],
    summary: 'https with this certificate (PEM, with its chain)',
  }),
  key: Flags.string({helpValue: 'FILE', dependsOn: ['cert'], summary: 'private key of --cert (PEM)'}),
  'forward-to': checkedFlag(readRoute)({
    helpValue: '[PATTERN=]URL',
    multiple: true,
    summary: `forward each event to URL, or only types that match, as in 'reservation.*=URL' (repeatable)`,
  }),
  resign: Flags.boolean({
    dependsOn: ['forward-to'],
    summary: `sign an event again when its signature is too old for the target (default where its secret is known)`,
  }),
  'no-resign': Flags.boolean({
    dependsOn: ['forward-to'],
    exclusive: ['resign'],
    summary: 'forward events unchanged, and give up those that are too old',
  }),
  event: eventFlag({...SEVERAL_TYPES, summary: 'print, forward and count these types only; all are stored'}),
  'exit-after': Flags.integer({
    helpValue: 'N',
    min: 1,
    max: 1_000_000_000,
    summary: 'exit with 0 after N expected events',
  }),
  within: durationFlag({
    helpValue: 'SECONDS',
    summary: `exit with ${EXITS.pending.code} if they do not come within SECONDS`,
  }),
  expect: checkedFlag(checkExpression)({
    helpValue: 'JMESPATH',
    summary: 'count only events that match, for example "data.status == \'CONFIRMED\'"',
  }),
  subscribe: Flags.boolean({
    dependsOn: ['public-url'],
    summary: 'create a subscription for --public-url, test it before "ready", and delete it at the end',
  }),
  'public-url': checkedFlag((field, text) => {
    const url = parseUrl(text)
    const isPlain = url?.username === '' && url.password === '' && url.hash === ''
    if (isPlain && url.protocol === 'https:') return text
    throw invalid(field, 'must be an https URL without user name and fragment')
  })({
    helpValue: 'URL',
    dependsOn: ['subscribe'],
    summary: 'https address at which the service reaches this receiver',
  }),
  admin: adminFlag('health and metrics'),
  drain: durationFlag({
    helpValue: 'SECONDS',
    summary: 'at the end, not ready but still receiving for SECONDS (default 0)',
  }),
  log: Flags.option({options: LOG_FORMATS})({
    summary: 'log a line on stderr for each request, forward and change, with time, level and keys',
  }),
  ...dryRunFlag,
  capture: Flags.string({
    helpValue: 'FILE',
    summary: 'append every request to this file, one JSON line each',
  }),
}

export type ListenFlags = Interfaces.InferredFlags<typeof listenFlags>

export type ListenPlan = ReturnType<typeof planListening>

export function planListening(flags: ListenFlags) {
  const {'public-url': publicUrl, 'exit-after': count = 1, within: seconds, expect} = flags
  const waits = [flags['exit-after'], seconds, expect].some(each => each !== undefined)
  return {
    path: flags.path ?? (publicUrl ? new URL(publicUrl).pathname : '/'),
    ...planRouting(flags),
    wait: waits ? {count, seconds, expect} : undefined,
  }
}

/** Returns which types go where. */
export function planRouting({event, 'forward-to': routes = []}: Pick<ListenFlags, 'event' | 'forward-to'>) {
  return {
    targets: joinRoutes(routes),
    /** Types that are printed, forwarded and counted (default: all). */
    types: event && new Set(event),
  }
}

/** Returns a warning for each target that gets no event, because none of its patterns matches a type of --event. */
export function idleTargetWarnings({types, targets}: ReturnType<typeof planRouting>): string[] {
  if (types === undefined) return []
  const isIdle = (url: string) => ![...types].some(type => addressesFor(targets, type).includes(url))
  const idle = targets.filter(({url}) => isIdle(url))
  return idle.map(({url}) => `Warning: ${targetText(url)} gets no events: --event leaves out its types`)
}

export function wantedSubscription({'public-url': url = ''}: ListenFlags, {types}: ListenPlan) {
  return {url, events: [...(types ?? EVENT_TYPE_NAMES)]}
}

/**
 * Describes the plan for --dry-run. Only --subscribe sends requests, to `target`; the id in the second one would come from the
 * first answer.
 */
export function describeListening(plan: ListenPlan, flags: ListenFlags, state: State, target?: Target) {
  const own = (name: string) => join(state.directory, name)
  const written = [
    {file: target && own(TOKENS_NAME), what: 'signing secret of the subscription'},
    {file: flags.tls && own(LISTEN_CA_NAME), what: 'authority of its certificate, created when missing'},
    {file: own(EVENTS_NAME), what: 'events received'},
    {file: flags.capture, what: 'requests received'},
  ]
  const changes = written.flatMap(({file, what}): DryChange[] =>
    file ? [{file, action: existsSync(file) ? 'set' : 'create', what}] : [],
  )
  if (!target) return dryRun([], changes)
  const body = wantedSubscription(flags, plan)
  const parameters = {subscription_id: 'SUBSCRIPTION_ID'}
  const requests = [
    describeRequest('subscriptions.create', target, state, {body}),
    describeRequest('subscriptions.test', target, state, {parameters}),
  ]
  return dryRun(requests, changes)
}
