import * as Flags from '@oclif/core/flags'
import {cancelSeveral, previewSeveral} from '../../cli/features/reservations/cancel-several.js'
import * as reservations from '../../cli/features/reservations/reservations.js'
import {ERROR_COLUMN, SEVERAL_NOTE} from '../../cli/features/several/each.js'
import {checkedFlag, maximumFlag} from '../../cli/input/flags.js'
import {type ReferenceWords, readReferences, referencesArg} from '../../cli/input/references.js'
import {describeRequest, dryRunFlag} from '../../cli/session/dry-run.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import {jsonResult} from '../../cli/terminal/result.js'
import {MOST_REASON_LENGTH} from '../../contract/operations.js'

export default class ReservationsCancel extends BaseCommand {
  static override summary = 'Cancel reservations after showing the fees'
  static override operations = {
    'reservations.quote': '',
    'reservations.cancel': '',
    'reservations.show': 'to show what is cancelled',
    'reservations.list': 'to choose at a terminal',
  }
  static override description =
    `The fee is requested first and shown with guests, hotel, room, dates and deadline; then the command asks, or needs --yes
without a terminal. With --dry-run the fee is requested and shown, and nothing is cancelled. Nothing is cancelled if the service does not state a fee, or states several. The request is repeated only if
the service says that it did not accept it (429, an expired token): when the answer is lost, or does not say that the
reservation is cancelled, the exit code is ${EXITS.outcome_unknown.code}, and reservations show prints its state.
Of several reservations all fees are read before one is cancelled; the command asks once, and --max-fee is for their sum.
${SEVERAL_NOTE}
${pathNote(ReservationsCancel.operations)}`
  static override examples = [
    'bookctl reservations cancel RSV-… --yes --max-fee 50 --reason "plans changed"',
    'bookctl reservations cancel RSV-… --dry-run',
    'bookctl reservations cancel RSV-… RSV-… --yes --max-fee 200',
  ]
  static override columns = [...reservations.CANCEL_COLUMNS, ERROR_COLUMN]
  static override candidates = {ref: 'cancellable'} as const
  static override args = referencesArg
  static override flags = {
    reason: checkedFlag(reservations.checkReason)({
      helpValue: 'TEXT',
      summary: `reason sent to the service, at most ${MOST_REASON_LENGTH} characters`,
    }),
    'max-fee': maximumFlag({
      helpValue: 'AMOUNT',
      summary: 'maximum fee, or sum of fees: 50, or "50 EUR"',
    }),
    yes: Flags.boolean({summary: 'do not ask; required without a terminal'}),
    ...dryRunFlag,
  }

  /** A reader such as `head` must not decide which reservations are cancelled. */
  override readonly outlivesReader = true

  protected override async alsoWrong({args}: {args: ReferenceWords}) {
    await readReferences(args.ref)
    return []
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ReservationsCancel)
    const {only, references} = await readReferences(args.ref)
    if (only === undefined) {
      const target = await this.target()
      if (!flags['dry-run']) return cancelSeveral(this, await this.connect(target), references, flags)
      return this.print(await previewSeveral(this, target, references, flags))
    }
    const {'max-fee': maxFee, reason, yes} = flags
    const body = reason === undefined ? {} : {reason}
    const target = await this.target()
    const call = {parameters: {reservation_ref: only}, body}
    if (flags['dry-run']) {
      const request = describeRequest('reservations.cancel', target, await this.state(), call)
      const connect = () => this.connect(target)
      const {costs, lines} = await reservations.previewCancellation(connect, only, target, maxFee)
      this.tell(lines)
      return this.print(jsonResult({...request, ...costs}))
    }
    const connection = await this.connect(target)
    const plan = await reservations.planCancellation(connection, only)
    reservations.checkFee([plan], maxFee)
    const atStake = reservations.describeCancellation(plan, target)
    await this.consent(yes, 'Cancel this reservation?', reservations.changeOf([plan]), atStake)
    this.stopNote = {hint: reservations.howToCheck(only)}
    await this.print(await reservations.cancel(connection, plan, body, text => void this.warn(text)))
  }
}
