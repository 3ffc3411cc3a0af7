/** A person's decision at a terminal on what an agent has prepared. Nothing is sent from here. */
import {type AgentHandle, handleNotValid, isHandle} from '../../../contract/agent-handles.js'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {failureWith, usage} from '../../../contract/failure.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {onItsOwnClock} from '../../terminal/dates-and-amounts.js'
import {type Result, single} from '../../terminal/result.js'
import {decide, questionOf} from './consent.js'

export const APPROVE_COLUMNS = ['handle', 'kind', 'decision', 'decided_by', 'expires_at'] as const

/**
 * Shows what a handle stands for and asks; stores the answer. Throws a usage error: `handle_not_valid`, `handle_used`,
 * `handle_decided` if it was decided before, or `approval_needs_terminal`. Throws a Failure `interrupted` after Ctrl-C, which
 * decides nothing.
 */
export async function approve(command: BaseCommand, handle: string): Promise<Result> {
  const target = await command.target()
  const state = await command.state()
  const handles = await state.agentHandles(target)
  const found = isHandle(handle) ? await handles.find(handle, systemClock.now()) : undefined
  if (found === undefined) {
    const hint = 'copy the handle exactly, and use the profile of the agent: --profile NAME'
    throw failureWith(handleNotValid(), {hint})
  }
  const {prepared, decision} = found
  if (prepared === null || found.usedAt !== null)
    throw usage(
      'handle_used',
      'this was carried out already',
      'see what agents made: bookctl journal --by mcp',
    )
  if (decision !== 'waiting')
    throw usage('handle_decided', `this was decided already: ${decision}`, 'the agent can prepare it again')
  const {title, lines} = await questionOf(found, prepared, {state, target})
  const until = `${'Valid until'.padEnd(13)} ${onItsOwnClock(isoTime(found.expiresAt))}`
  command.stopNote = {state: 'nothing was decided', hint: 'run the command again to be asked again'}
  const agreed = await command.agreed(false, title, [...lines, until])
  if (agreed === undefined)
    throw usage(
      'approval_needs_terminal',
      'a person has to answer this at a terminal; nothing was decided',
      'run it at a terminal, without --json and --no-input',
    )
  const wanted = agreed ? 'approved' : 'declined'
  const decided = await decide(handles, handle, wanted, {by: 'terminal', now: systemClock.now()})
  command.stopNote = undefined
  if (decided.decision !== wanted)
    throw usage(
      'handle_decided',
      `this was decided meanwhile: ${decided.decision}`,
      'the agent can prepare it again',
    )
  command.note(agreed ? 'Approved: the agent can go on.' : 'Declined: the agent cannot use it any more.')
  return single(rowOf(decided), rowOf(decided), handle)
}

function rowOf({handle, kind, decision, decidedBy, expiresAt}: AgentHandle) {
  return {handle, kind, decision, decided_by: decidedBy, expires_at: isoTime(expiresAt)}
}
