/** The doors of the booking wizard for `reserve`; loaded only when somebody may be asked. */
import {systemClock} from '../../session/connect.js'
import type {PlanFlags} from '../reserve/reserve.js'
import {today} from '../reserve/reserve.js'
import {type Begun, readBegun as read} from './begun.js'
import type {WizardParts} from './draft.js'

export {accompany} from './accompany.js'
export {runWizard} from './wizard.js'

/** What flags and input file say; undefined when nothing is missing. Throws usage. */
export function readBegun(offerId: string | undefined, flags: PlanFlags): Promise<Begun | undefined> {
  return read(offerId, flags, today())
}

type Choices = Pick<WizardParts, 'today' | 'reader' | 'preferred' | 'agreed' | 'dryRun' | 'maxPrice' | 'key'>

/** How the flags of `reserve`, and this machine, set the wizard up. */
export function choicesOf(flags: PlanFlags & {readonly yes: boolean; readonly 'dry-run': boolean}): Choices {
  return {
    today: today(),
    reader: () => ({
      now: systemClock.now(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    agreed: flags.yes,
    dryRun: flags['dry-run'],
    maxPrice: flags['max-price'],
    key: flags['idempotency-key'],
    preferred: flags.preferred,
  }
}
