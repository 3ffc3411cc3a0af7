/**
 * Implements `webhooks service`: prints files that run `webhooks listen` as a service: a systemd unit, a compose file,
 * or Kubernetes manifests.
 */
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {type Result, single} from '../../terminal/result.js'
import {idleTargetWarnings, planRouting} from './listen-flags.js'
import {composeFile, kubernetesManifests} from './service-containers.js'
import {type ServicePlan, servedFlags} from './service-plan.js'
import {serviceUnit, socketUnit} from './service-systemd.js'

const KINDS = ['systemd', 'compose', 'kubernetes'] as const
const others = (kind: string) => KINDS.filter(other => other !== kind)

export const serviceFlags = {
  systemd: Flags.boolean({exclusive: others('systemd'), summary: 'print a systemd unit'}),
  compose: Flags.boolean({exclusive: others('compose'), summary: 'print a compose file for containers'}),
  kubernetes: Flags.boolean({exclusive: others('kubernetes'), summary: 'print Kubernetes manifests'}),
  socket: Flags.boolean({
    dependsOn: ['systemd'],
    summary: 'print the socket unit that belongs to the service: with it a restart refuses no connection',
  }),
  ...servedFlags,
}

type ServiceFlags = InferredFlags<typeof serviceFlags>

/** Returns the chosen service file as text. The document lists all files that belong to it. */
export function serviceResult(flags: ServiceFlags, plan: ServicePlan): Result {
  const files = filesOf(flags, plan)
  const shown = files[flags.socket ? 1 : 0] ?? files[0]
  const kind = KINDS.find(name => flags[name])
  return {
    ...single({kind, files}, {kind, files}, files.map(({name}) => name).join(' ')),
    text: shown?.text ?? '',
  }
}

function filesOf(flags: ServiceFlags, plan: ServicePlan) {
  if (flags.compose) return [{name: 'compose.yaml', text: composeFile(plan)}]
  if (flags.kubernetes) return [{name: 'bookctl-listen.yaml', text: kubernetesManifests(plan)}]
  return [
    {name: 'bookctl-listen.service', text: serviceUnit(plan)},
    {name: 'bookctl-listen.socket', text: socketUnit(plan)},
  ]
}

/** Returns a warning for each target that gets no events, and for a port that nobody can know. */
export function serviceWarnings(flags: ServiceFlags): string[] {
  const warnings = idleTargetWarnings(planRouting(flags))
  const isUnknown = flags.systemd && flags.admin?.port === 0
  const what = 'with --admin 0 the port of health and metrics differs after each start'
  return isUnknown ? [...warnings, `Warning: ${what}; name one, such as --admin 9464`] : warnings
}
