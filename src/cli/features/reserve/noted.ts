/** What becomes of a reservation after it was made, kept in the journal of this machine. */
import type {Connection} from '../../session/connect.js'

/**
 * Notes that the service says `outcome` of the reservation, as `outcomeWord` has it. Nothing is noted of one that was not
 * made here. What hinders it is told, and no more.
 */
export function noteOutcome(
  {state, target, clock}: Pick<Connection, 'state' | 'target' | 'clock'>,
  reference: string,
  outcome: string,
  warn: (text: string) => void,
): void {
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  try {
    if (state.writable) state.journal.noteStatus(client, reference, outcome, clock.now())
  } catch (error) {
    warn(`Warning: that it is ${outcome} could not be written to the journal: ${(error as Error).message}`)
  }
}
