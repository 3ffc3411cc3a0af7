/** The flags of `reserve batch`. */
import * as Flags from '@oclif/core/flags'
import type * as Interfaces from '@oclif/core/interfaces'
import {invalid} from '../../input/checks.js'
import {checkedFlag, maximumFlag} from '../../input/flags.js'

/** How many reservations are made at the same time, by default and at most. */
const USUAL_PARALLEL = 4
const MOST_PARALLEL = 16

function readRate(field: string, text: string): number {
  const rate = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (rate >= 0.01 && rate <= 1000) return rate
  throw invalid(field, 'must be a number of reservations a second, from 0.01 to 1000', text)
}

export const batchFlags = {
  'input-format': Flags.option({options: ['csv', 'ndjson', 'json'] as const})({
    summary: 'format of FILE (default: by its name)',
  }),
  'max-total': maximumFlag({
    helpValue: 'AMOUNT',
    summary: 'maximum for the whole file, such as 9000 in the currency of the account, or "9000 EUR"',
  }),
  parallel: Flags.integer({
    helpValue: 'N',
    min: 1,
    max: MOST_PARALLEL,
    default: USUAL_PARALLEL,
    summary: `trips at a time, at most ${MOST_PARALLEL}`,
  }),
  rate: checkedFlag(readRate)({helpValue: 'N', summary: 'maximum number of reservations a second'}),
  continue: Flags.boolean({summary: 'go on with other trips after an unknown outcome'}),
  failed: Flags.string({
    helpValue: 'FILE',
    summary: 'write the trips that are not booked to FILE, each with the reason',
  }),
  vouchers: Flags.string({helpValue: 'DIR', summary: 'download the vouchers to DIR, as REF.pdf'}),
  'dry-run': Flags.boolean({summary: 'search and price every trip and book nothing'}),
  template: Flags.option({options: ['csv', 'ndjson'] as const})({
    summary: 'print a file to start from',
  }),
  yes: Flags.boolean({
    summary:
      'do not ask for confirmation; required with --max-total for live reservations without a terminal',
  }),
}

export type BatchFlags = Interfaces.InferredFlags<typeof batchFlags>
