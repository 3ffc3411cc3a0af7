/**
 * Resolves the attempts of the journal with an unknown outcome, one after another, as `reserve --resume` does
 * (`--resolve`).
 */
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {lookingUp, resumeReference} from '../reserve/plan.js'
import {attemptEach, type Outcome, warningAbout} from '../several/each.js'
import {unresolvedIn} from './journal-books.js'
import type {Window} from './window.js'

/**
 * Resolves the attempts in the window that have no known outcome, and reports each result on stderr. Throws
 * StorageError.
 */
export async function resolveOpen(
  command: BaseCommand,
  connection: Connection,
  window: Window,
): Promise<void> {
  const {state, target, atStep} = connection
  const references = await lookingUp(() => unresolvedIn(state.journal, target, window))
  const stopping = new AbortController()
  let ended = 0
  command.stopNote = () => ({
    state: `${ended} of ${references.length} were resolved`,
    hint: 'the same command again resolves the others, and books nothing twice',
  })
  const attempt = (reference: string) =>
    resumeReference(connection, reference, {
      timeoutSeconds: command.timeoutSeconds,
      signal: stopping.signal,
      warn: warningAbout(command, reference),
    })
  const working = attemptEach(references, {
    attempt,
    before: index => atStep(`${index + 1} of ${references.length}`),
    after: async outcome => {
      ended += outcome.failure === undefined ? 1 : 0
      command.tell(outcomeText(outcome))
    },
    stopped: stopping.signal,
    underWay: reference =>
      new Failure('outcome_unknown', `whether ${sanitizeLine(reference)} was booked is still unknown`, {
        code: 'outcome_unknown',
      }),
  })
  command.whenStopped(async () => {
    stopping.abort()
    await working.catch(() => {})
  })
  const broken = (await working).find(({bug}) => bug !== undefined)
  if (broken) throw broken.bug
  command.stopNote = undefined
}

function outcomeText({reference, done, failure}: Outcome<ReserveOutcome>): string {
  const named = sanitizeLine(reference)
  if (failure) return `${named}: ${failure.message}`
  const state = sanitizeLine(done?.outcome ?? '', 40)
  return done?.reservation_ref
    ? `${named}: ${state}, ${sanitizeLine(done.reservation_ref, 64)}`
    : `${named}: ${state}`
}
